"""A method of a workspace, done by the workers of a Ray cluster."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.config import FILE
from kbe_graph.errors import ConfigError
from kbe_graph.execute.ray_cluster import open_cluster
from kbe_graph.extras import require_extra
from kbe_graph.files.whole import temporary_folder
from kbe_graph.folder import Folder, create_folder
from kbe_graph.models.direct_model import CallProgress
from kbe_graph.workspace.model_options import ModelOptions, model_options, paths

if TYPE_CHECKING:
    from kbe_graph.store import Address
    from kbe_graph.workspace.workspace import Workspace


class _Did(NamedTuple):
    """A worker's outcome: whether it did anything, and how many answers are new since it began."""

    grown: bool
    new: int


@dataclass(frozen=True, slots=True)
class _Bundle:
    """A workspace as a worker gets it: settings, verdicts on facts, and the places of its pictures and its graph."""

    settings: str = field(repr=False)
    verdicts: str
    images: tuple[Path, ...]
    address: "Address"


def on_cluster(work: "Workspace", name: str, model: ModelOptions | str, arguments: Mapping[str, Any]) -> Any:
    """Have workers run a method of the workspace with arguments, and return its result.

    Raises ConfigError where the graph is on no server, ResourceError without ``ray``, and the errors of the method.
    """
    require_extra("ray")
    address, options = work.address, model_options(model)
    if address is None:
        raise ConfigError(
            "the workers of a cluster share a Neo4j server; set NEO4J_URI, or [graph] uri in kbe.toml, and copy the "
            "graph there"
        )
    options = replace(options, images=[path.absolute() for path in paths(options.images)])
    flags = {"base_url": options.base_url, "key": options.api_key, "model": options.name}
    bounds = {"images": options.images, "dollars": options.budget, "calls": options.max_calls}
    with open_cluster(work.folder.path.absolute(), flags, **bounds) as cluster:
        remote = replace(options, channel=cluster.channel)
        asks = {"model": remote} if "model" not in arguments else {}
        arguments = {**arguments, **asks}
        judged_here = {"judges": ()} if "judges" in arguments else {}
        bundle = _bundle(work.folder, address)
        did = cluster.run(_do, bundle, name, {**arguments, **judged_here}, watch=work.reporter.spent)
        if asks:
            arguments["model"] = _what_is_left(remote, cluster.spending)
        outcome = getattr(work, name)(**arguments)
    return _with_news(outcome, did)


def _what_is_left(options: ModelOptions, spending: CallProgress) -> ModelOptions:
    budget = None if options.budget is None else max(options.budget - spending.dollars, 0.0)
    max_calls = None if options.max_calls is None else max(options.max_calls - spending.calls, 0)
    return replace(options, budget=budget, max_calls=max_calls)


def _bundle(folder: Folder, address: "Address") -> _Bundle:
    verdicts = folder.review.read_text(encoding="utf-8") if folder.review.exists() else ""
    settings = folder.config.file.read_text(encoding="utf-8")
    return _Bundle(settings, verdicts, tuple(path.absolute() for path in folder.image_folders), address)


def _do(bundle: _Bundle, name: str, arguments: Mapping[str, Any]) -> _Did:
    from kbe_graph.workspace.workspace import Workspace

    with temporary_folder("kbe-worker") as folder:
        own = create_folder(folder)
        (folder / FILE).write_text(bundle.settings, encoding="utf-8")
        if bundle.verdicts:
            own.review.write_text(bundle.verdicts, encoding="utf-8")
        own.remember_images(*bundle.images)
        with Workspace(folder, address=bundle.address, progress=False) as work:
            outcome = getattr(work, name)(**arguments)
        return _Did(getattr(outcome, "grown", False), getattr(outcome, "new", 0))


def _with_news(outcome: Any, did: Sequence[_Did]) -> Any:
    grown, new = any(each.grown for each in did), max((each.new for each in did), default=0)
    if not is_dataclass(outcome):
        outcome.grown |= grown
        return outcome
    news = {"new": new} if hasattr(outcome, "new") else {"grown": grown}
    return replace(outcome, **news)  # type: ignore[type-var]  # what each method returns
