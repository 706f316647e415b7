"""A run whose facts and questions the local model proposes, by the same steps, filters and graph as any other."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from kbe_graph.evolve.asking import Desk, open_desk, work_directly
from kbe_graph.evolve.driver import Progress
from kbe_graph.evolve.knowledge import packaged, reviewed
from kbe_graph.evolve.mix import Mix, roles
from kbe_graph.evolve.offline import filter_settings
from kbe_graph.evolve.plan import Scope
from kbe_graph.evolve.with_model import ModelRun, model_plan
from kbe_graph.local.server import LocalServer, local_book, local_server
from kbe_graph.models import Budget, run
from kbe_graph.store import Store
from kbe_graph.workspace import Workspace

MOST_TOKENS = 600  # of a reply: eight candidates, as the small model fills every place of a list


def local_run(
    workspace: Workspace,
    store: Store,
    scope: Scope,
    *,
    images: Path,
    progress: Progress = lambda *_: None,
) -> None:
    """Evolve the workspace's samples with the local model, whose pictures are in ``images``.

    Raises ResourceError where the extra ``local`` is not installed, and what ``ModelRun.evolve`` raises.
    """
    with local_server(workspace.hidden / "local") as server, local_desk(workspace, server, images) as desk:
        mix, settings = Mix(), filter_settings(workspace)
        models = roles(mix, desk.book)
        plan = reviewed(model_plan(scope, mix, settings, models), workspace)
        evolution = ModelRun(workspace, store, plan, mix, settings, packaged(workspace), models, progress)
        run(work_directly(desk, evolution.evolve, Budget()))


@contextmanager
def local_desk(workspace: Workspace, server: LocalServer, images: Path) -> Iterator[Desk]:
    """Give what asking the server needs in a workspace: its own settings, whatever the workspace and environment say."""
    with open_desk(workspace, flags={}, images=[images]) as desk:
        yield replace(desk, book=local_book(server), section={"max_tokens": MOST_TOKENS})
