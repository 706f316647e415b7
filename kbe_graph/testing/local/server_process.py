"""The server process of the local model, and a run in which that model proposes facts and questions.

The run uses the same steps, checks and graph as any other.
"""

import argparse
import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from kbe_graph.evolve.knowledge import PACKAGED
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.steps.session import open_session
from kbe_graph.testing.local.server import local_book, local_server
from kbe_graph.workspace.asking import plan_run
from kbe_graph.workspace.graph_access import GraphAccess
from kbe_graph.workspace.model_options import ModelOptions
from kbe_graph.workspace.run import Run
from kbe_graph.workspace.workspace import Workspace

MOST_TOKENS = 600  # of a reply: eight candidates, as the small model always fills the whole list


def local_run(work: Workspace, *, hops: int, seed: int, run: str, limit: int) -> Run:
    """Evolve the first samples with the local model, regardless of the model settings in workspace and environment.

    Raises ResourceError if the extra ``local`` is not installed, and the errors of ``Workspace.evolve``.
    """
    scope = RunOptions(run, seed, hops, limit)
    with local_server(work.folder.hidden / "local") as server, open_session(work.folder, flags={}) as session:
        own = replace(session, book=local_book(server), section={"max_tokens": MOST_TOKENS})
        access = GraphAccess(work.folder, work.address, work.reporter)
        plan_run(own, ModelOptions(), access, scope).evolve(PACKAGED, work.reporter)
    return work.run(run)


def main() -> None:
    """Serve until the standard input is closed."""
    arguments = _arguments()
    answer = os.dup(1)
    os.dup2(2, 1)  # redirects the server's output to the log
    server = _serve(arguments)
    with suppress(BrokenPipeError), os.fdopen(answer, "w") as stream:
        stream.write(f"{server.listening_address}\n")
    sys.stdin.buffer.read()
    os._exit(0)  # without waiting for a reply in progress


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("weights", type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument("--projector", type=Path)
    parser.add_argument("--context", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    return parser.parse_args()


def _serve(arguments: argparse.Namespace) -> Any:
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path, settings.model_alias = str(arguments.weights), {arguments.name}
    settings.mmproj.path = str(arguments.projector or "")
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.cors_origins = ""  # no web page may call it
    settings.ui = settings.endpoint_slots = settings.warmup = False
    settings.n_ctx, settings.n_parallel = arguments.context, 1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = arguments.threads
    settings.cache_ram_mib = 512
    return xllamacpp.Server(settings)


if __name__ == "__main__":
    main()
