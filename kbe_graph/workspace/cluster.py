"""Work on a Ray cluster: workers share it on the graph's server, as clients do that are started by hand.

Models are asked by one actor, on the machine that the command is given on, whose workspace keeps the calls.
"""

import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.config import FILE
from kbe_graph.errors import ConfigError, KbeError, ResourceError
from kbe_graph.files.whole_folder import temporary_folder
from kbe_graph.folder import Folder, create_folder
from kbe_graph.models.direct_model import CallProgress
from kbe_graph.secret import refuse_secrets
from kbe_graph.steps.call_desk import CallDesk
from kbe_graph.workspace.model_options import ModelOptions, model_options, paths
from kbe_graph.workspace.progress import Reporter

if TYPE_CHECKING:
    from kbe_graph.store import Address
    from kbe_graph.workspace.workspace import Workspace

LOOK = 1.0  # seconds between looks at the workers
LONGEST_END = 30.0  # seconds in which workers that are told to stop end
PATIENCE = 5.0  # seconds for a cluster to take a connection
PASSED_ON = ("KBE_", "OPENAI_")  # variables that workers need as well


class _Did(NamedTuple):
    """What a worker did: whether anything, and how many answers are new since it began."""

    grown: bool
    new: int


@dataclass(frozen=True, slots=True)
class _Bundle:
    """What a worker needs of a workspace: its settings, its verdicts on facts, where its pictures and its graph are."""

    settings: str = field(repr=False)
    verdicts: str
    images: tuple[Path, ...]
    address: "Address"


def on_cluster(work: "Workspace", name: str, model: ModelOptions | str, arguments: Mapping[str, Any]) -> Any:
    """Have workers do what a method of the workspace does with arguments, and return what it returns.

    Raises ConfigError where the graph is on no server, ResourceError without ``ray``, and what the method raises.
    """
    address, ray = work.address, _ray()
    if address is None:
        raise ConfigError(
            "the workers of a cluster share a Neo4j server; set NEO4J_URI, or [graph] uri in kbe.toml, and copy the "
            "graph there with `work.graph.copy_to(ADDRESS)`"
        )
    bundle, options = _bundle(work.folder, address), model_options(model)
    options = replace(options, images=[path.absolute() for path in paths(options.images)])
    with _open_desk(ray, work.folder, options) as desk:
        remote = replace(options, desk=desk)
        asks = {"model": remote} if "model" not in arguments else {}
        arguments = {**arguments, **asks}
        task = ray.remote(_work).options(num_cpus=1, max_retries=3)
        count = max(1, int(ray.cluster_resources().get("CPU", 1)))
        judged_here = {"judges": ()} if "judges" in arguments else {}
        workers = [task.remote(_environment(), bundle, name, {**arguments, **judged_here}) for _ in range(count)]
        did = _wait(ray, workers, desk, work.reporter)
        if asks:
            arguments["model"] = _what_is_left(remote, ray.get(desk.progress.remote()))
        outcome = getattr(work, name)(**arguments)
    return _with_news(outcome, did)


def _what_is_left(options: ModelOptions, spending: CallProgress) -> ModelOptions:
    """Return the options with what the workers left of the budget, for judges, who are asked on this machine."""
    budget = None if options.budget is None else max(options.budget - spending.dollars, 0.0)
    max_calls = None if options.max_calls is None else max(options.max_calls - spending.calls, 0)
    return replace(options, budget=budget, max_calls=max_calls)


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise ResourceError("a cluster needs Ray; install kbe-graph[ray]") from None
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if not ray.is_initialized():
        _join(ray)
    return ray


def _join(ray: Any) -> None:
    """Join the cluster of ``RAY_ADDRESS``, or start one on this machine; raises ResourceError."""
    place = os.environ.get("RAY_ADDRESS", "")
    refuse_secrets(place, "RAY_ADDRESS", "log in by RAY_AUTH_TOKEN")
    try:
        host, _, port = place.rpartition(":")
        if host and port.isdecimal() and "/" not in host:
            socket.create_connection((host, int(port)), PATIENCE).close()  # Ray itself tries for many minutes
        ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False)
    except (OSError, ValueError) as error:
        raise ResourceError(
            f"no Ray cluster at RAY_ADDRESS {place!r} ({error}); start one there with 'ray start --head', set "
            "RAY_AUTH_MODE=token where it asks for one, or unset RAY_ADDRESS to use the processors of this machine"
        ) from None


def _environment() -> Mapping[str, str]:
    """Return the variables that workers need; keys are among them, so they do not go by Ray's ``runtime_env``.

    Ray writes that one to its logs.
    """
    return {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)}


class _ClusterDesk(CallDesk):
    """A desk in an actor, with the variables of the command."""

    def __init__(self, environ: Mapping[str, str], *place: Any, **bounds: Any) -> None:
        os.environ.update(environ)
        super().__init__(*place, **bounds)


def _bundle(folder: Folder, address: "Address") -> _Bundle:
    verdicts = folder.review.read_text(encoding="utf-8") if folder.review.exists() else ""
    settings = folder.config.file.read_text(encoding="utf-8")
    return _Bundle(settings, verdicts, tuple(path.absolute() for path in folder.image_folders), address)


@contextmanager
def _open_desk(ray: Any, folder: Folder, options: ModelOptions) -> Iterator[Any]:
    """Give the actor that asks models, on this machine."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    this_machine = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    actor = ray.remote(_ClusterDesk).options(num_cpus=0, max_concurrency=100_000, scheduling_strategy=this_machine)
    flags = {"base_url": options.base_url, "key": options.api_key, "model": options.name}
    bounds = {"dollars": options.budget, "calls": options.max_calls}
    desk = actor.remote(_environment(), folder.path.absolute(), flags, images=options.images, **bounds)
    try:
        yield desk
    finally:
        ray.get(desk.close.remote())
        ray.kill(desk)


def _work(environ: Mapping[str, str], bundle: _Bundle, name: str, arguments: Mapping[str, Any]) -> _Did | KbeError:
    """Do a worker's part, in a workspace of its own that is gone afterwards."""
    from kbe_graph.workspace.workspace import Workspace

    os.environ.update(environ)
    try:
        with temporary_folder("kbe-worker") as folder:
            own = create_folder(folder)
            (folder / FILE).write_text(bundle.settings, encoding="utf-8")
            if bundle.verdicts:
                own.review.write_text(bundle.verdicts, encoding="utf-8")
            own.remember_images(*bundle.images)
            with Workspace(folder, address=bundle.address, progress=False) as work:
                outcome = getattr(work, name)(**arguments)
            return _Did(getattr(outcome, "grown", False), getattr(outcome, "new", 0))
    except KbeError as error:
        return error


def _wait(ray: Any, workers: Sequence[Any], desk: Any, reporter: Reporter) -> list[_Did]:
    """Return what the workers did; raises the first error of one, once the others are told to stop."""
    waiting, did = list(workers), []
    while waiting:
        ended, waiting = ray.wait(waiting, timeout=LOOK)
        reporter.spent(ray.get(desk.progress.remote()), 0)
        for outcome in ray.get(ended):
            if isinstance(outcome, KbeError):
                for worker in waiting:
                    ray.cancel(worker)
                ray.wait(waiting, num_returns=len(waiting), timeout=LONGEST_END)
                raise outcome
            did.append(outcome)
    return did


def _with_news(outcome: Any, did: Sequence[_Did]) -> Any:
    """Return what a method returned, with what the workers did before it was called."""
    grown, new = any(each.grown for each in did), max((each.new for each in did), default=0)
    if not is_dataclass(outcome):
        outcome.grown |= grown
        return outcome
    news = {"new": new} if hasattr(outcome, "new") else {"grown": grown}
    return replace(outcome, **news)  # type: ignore[type-var]  # what each method returns
