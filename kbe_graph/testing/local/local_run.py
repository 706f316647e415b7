"""A run whose facts and questions the local model proposes, by the same steps, filters and graph as any other."""

from dataclasses import replace

from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.sources import PACKAGED
from kbe_graph.steps.session import open_session
from kbe_graph.testing.local.server import local_book, local_server
from kbe_graph.workspace.asking import plan_run
from kbe_graph.workspace.graph_access import GraphAccess
from kbe_graph.workspace.model_options import ModelOptions
from kbe_graph.workspace.run import Run
from kbe_graph.workspace.workspace import Workspace

MOST_TOKENS = 600  # of a reply: eight candidates, as the small model fills every place of a list


def local_run(work: Workspace, *, hops: int, seed: int, run: str, limit: int) -> Run:
    """Evolve the first samples with the local model, by its own settings, whatever workspace and environment say.

    Raises ResourceError where the extra ``local`` is not installed, and what ``Workspace.evolve`` raises.
    """
    scope = RunOptions(run, seed, hops, limit)
    with local_server(work.folder.hidden / "local") as server, open_session(work.folder, flags={}) as session:
        own = replace(session, book=local_book(server), section={"max_tokens": MOST_TOKENS})
        access = GraphAccess(work.folder, work.address, work.reporter)
        plan_run(own, ModelOptions(), access, scope).evolve(PACKAGED, work.reporter)
    return work.run(run)
