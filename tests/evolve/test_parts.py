"""Several clients on one graph: no part is done twice, none is lost, and the bytes are those of one client."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path

import pytest
import sharing_client
from commands import environment
from engines import Engine, on_a_server
from specimens import dump, family

import kbe_graph as kbe
from kbe_graph.datasets import read_benchmark
from kbe_graph.datasets.annotations import read_annotations
from kbe_graph.errors import ConfigError, PartsAwaited, StoreError
from kbe_graph.evolve.extract_samples import extract_samples
from kbe_graph.evolve.saving import dumps, loads
from kbe_graph.execute.clients import Clients, open_sharing
from kbe_graph.execute.executor import Executor, Stage
from kbe_graph.execute.parts import Parts, Shard
from kbe_graph.store import Store
from kbe_graph.store.stored_parts import PartPlace, StoredParts

CLIENT = Path(sharing_client.__file__)
PLACE = PartPlace("evolve r|hop 1|1", "evolve r", "hop 1", 1)


def fill(store: Store) -> None:
    """Load and extract the demo."""
    demo = kbe.demo()
    samples = read_benchmark(demo.samples, benchmark="demo", split="demo").samples
    store.save_samples(samples)
    extract_samples(store, samples, read_annotations(scene_graphs=[demo.scene_graphs]), progress=lambda *_: None)


@pytest.fixture(scope="module")
def alone(embedded_engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What one client makes of the demo."""
    del embedded_engine
    folder = tmp_path_factory.mktemp("alone")
    with kbe.Workspace(folder, progress=False) as work:
        fill(work.store)
        sharing_client.evolve(folder, work.store, alone=True)
        return dump(work.store)


def test_a_part_is_given_to_one_client_until_it_is_gone(store: Store) -> None:
    parts = StoredParts(store.connection)
    assert parts.claim(PLACE, "one", lease=60)
    assert not parts.claim(PLACE, "other", lease=60)
    time.sleep(0.1)
    assert parts.claim(PLACE, "other", lease=0.05)
    assert not parts.finish(PLACE.id, "one", b"late")
    assert parts.finish(PLACE.id, "other", b"done" * 1000)
    assert parts.content(PLACE.id) == b"done" * 1000
    assert not parts.claim(PLACE, "one", lease=0)
    store.forget_run("r")
    assert not parts.has_any("evolve r")


def test_a_part_is_free_where_its_client_was_heard_of_in_the_future_as_the_clock_was_set_back(store: Store) -> None:
    parts = StoredParts(store.connection)
    assert parts.claim(PLACE, "one", lease=60)
    for milliseconds, is_free in ((30_000, False), (3_600_000, True)):
        store.connection.write(
            lambda transaction, later=milliseconds: transaction.run_text(
                "MATCH (part:Part) SET part.heard = timestamp() + $later", {"later": later}
            )
        )
        assert (parts.states(PLACE.work, PLACE.stage)[PLACE.id].heard > 60) is is_free
        assert parts.claim(PLACE, "other", lease=60) is is_free


def test_a_client_that_is_heard_of_keeps_its_part_and_one_that_gives_it_back_does_not(store: Store) -> None:
    parts = StoredParts(store.connection)
    assert parts.claim(PLACE, "one", lease=60)
    store.connection.write(
        lambda transaction: transaction.run_text("MATCH (part:Part) SET part.heard = timestamp() - 6000")
    )
    parts.renew([PLACE.id], "one")
    assert not parts.claim(PLACE, "other", lease=5)
    parts.release([PLACE.id], "other")
    assert not parts.claim(PLACE, "other", lease=60)
    parts.release([PLACE.id], "one")
    assert parts.claim(PLACE, "other", lease=60)


class _Names(Stage[str, bytes, bytes]):
    """Gives the names of a batch."""

    name, size = "hop 1", 2

    async def begin(self, batch: Sequence[str]) -> bytes:
        """Join the names."""
        return " ".join(batch).encode()


@pytest.mark.parametrize("is_emptied", [True, False])
def test_what_others_decided_or_forgot_while_results_are_taken_is_not_decided_without_them(
    store: Store, is_emptied: bool
) -> None:
    taken: list[bytes] = []
    decided: list[set[bytes]] = []

    async def take(content: bytes) -> None:
        """Have another client come to its end at the first result."""
        if not taken:
            parts = StoredParts(store.connection)
            parts.forget_contents(PLACE.work, PLACE.stage) if is_emptied else parts.forget(PLACE.work)
        taken.append(content)

    async def decide() -> AbstractAsyncContextManager[None]:
        """Note what is decided on."""
        decided.append(set(taken))
        return nullcontext()

    with Parts(store, PLACE.work, lease=60) as parts:
        clients = Clients(parts, Executor(), store)
        asyncio.run(clients.reduce(_Names(), list("abcd"), take, decide, is_over=lambda: bool(decided)))
    assert decided == ([] if is_emptied else [{b"a b", b"c d"}])


def test_what_a_part_holds_is_of_this_program_alone() -> None:
    assert loads(dumps([Shard])[:0] + dumps([])) == []
    said = family()._replace(candidates=())
    assert loads(dumps([said])) == [said]
    with pytest.raises(
        StoreError, match=r"contains a kbe_graph\.execute\.parts\.Shard, which is not allowed; forget the run"
    ):
        loads(dumps([Shard(1, 2)]))


def test_shards_of_a_run_leave_what_depends_on_all_to_the_last_one(
    embedded_store: Store, alone: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = embedded_store
    monkeypatch.setenv("KBE_LEASE", "1")
    fill(store)
    for _ in range(2):
        with pytest.raises(PartsAwaited, match=r"shard 2/2 is not finished; run it on this graph"):
            sharing_client.evolve(tmp_path / "1", store, "1/2")
    with pytest.raises(ConfigError, match=r"give 1/2 as `shard`, or none"):
        sharing_client.evolve(tmp_path / "3", store, "1/3")
    with pytest.raises(PartsAwaited):
        sharing_client.evolve(tmp_path / "2", store, "2/2")  # re-selection is done now, hop 1 waits for the other
    sharing_client.evolve(tmp_path / "all", store)
    assert dump(store) == alone


def test_a_run_of_one_shard_on_an_embedded_graph_waits_for_nobody(tmp_path: Path) -> None:
    with kbe.Workspace(tmp_path, progress=False) as work:
        fill(work.store)
        run = work.evolve(hops=1, shard="1/2")
        assert (run.state, run.shards) == ("running", ("2/2",))
        with open_sharing(work.store, "evolve other") as share:
            assert isinstance(share(Executor()), Executor)


@on_a_server
def test_three_clients_of_which_one_is_killed_make_what_one_makes(
    engine: Engine, store: Store, alone: list[str], tmp_path: Path
) -> None:
    fill(store)
    environ = environment(engine.address) | {"KBE_LEASE": "2"}
    clients = []
    for number in range(3):
        command = [sys.executable, str(CLIENT), str(tmp_path / str(number))]
        with (tmp_path / f"{number}.txt").open("w") as output:
            clients.append(subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environ))
    end = time.monotonic() + 120
    while not _holds(store, clients[0].pid) and time.monotonic() < end:
        time.sleep(0.005)
    clients[0].kill()
    codes = [client.wait(200) for client in clients]
    said = [(tmp_path / f"{number}.txt").read_text() for number in range(3)]
    assert codes == [-9, 0, 0], said
    assert dump(store) == alone


def _holds(store: Store, process: int) -> bool:
    """Whether a client holds a part that is not done."""
    text = "MATCH (part:Part) WHERE NOT part.done AND part.client CONTAINS $process RETURN part.id AS id"
    return bool(store.connection.read_text(text, process=f"-{process}-"))
