"""One of several clients that evolve a run on one server, each a process, in small parts so that all get some.

    python tests/sharing_client.py FOLDER [SHARD]

The server is that of NEO4J_URI. Prints each completed part, and finally the shards that it is waiting for.
"""

import os
import sys
from dataclasses import replace
from pathlib import Path

from kbe_graph.config import Config
from kbe_graph.errors import PartsAwaited
from kbe_graph.evolve.driver import Driver
from kbe_graph.evolve.knowledge import packaged_knowledge
from kbe_graph.evolve.manifest import write_manifest
from kbe_graph.evolve.offline import filter_settings, offline_evolution, offline_plan
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.execute.clients import open_sharing
from kbe_graph.execute.executor import Executor
from kbe_graph.execute.parts import read_shard
from kbe_graph.folder import create_folder
from kbe_graph.models import loop
from kbe_graph.store import Store, graph_address, open_store
from kbe_graph.store.stored_parts import work_of_run

SCOPE = RunOptions("r", seed=0, hops=2)
SIZE = 6


def evolve(folder: Path, store: Store, shard: str | None = None, *, alone: bool = False, size: int = SIZE) -> None:
    """Evolve as ``kbe evolve`` does, in parts of ``size`` samples; ``alone`` disables sharing."""
    workspace = create_folder(folder)
    settings = filter_settings(workspace)
    plan = replace(offline_plan(SCOPE, settings), batch=size)
    part = read_shard(shard) if shard else None
    evolution = offline_evolution(store, plan, settings, packaged_knowledge(workspace))

    def tell(stage: str, done: int, total: int) -> None:
        print(stage, done, total, flush=True)  # noqa: T201

    if alone:
        with write_manifest(workspace, store, plan):
            loop.run(Driver(evolution, Executor()).evolve())
        return
    with open_sharing(store, work_of_run(SCOPE.name), part) as share, write_manifest(workspace, store, plan):
        loop.run(Driver(evolution, share(Executor(tell))).evolve())


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    with open_store(folder, graph_address(Config(folder / "kbe.toml"), os.environ)) as store:
        try:
            evolve(folder, store, *sys.argv[2:3])
        except PartsAwaited as awaited:
            print("awaits", *awaited.shards)  # noqa: T201
