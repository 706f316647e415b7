"""A graph is copied to a server and back; every export of it stays the same, byte for byte."""

from collections.abc import Iterator
from pathlib import Path

import engines
import pytest
from commands import kept_up
from specimens import RUN, family, load

import kbe_graph as kbe
from kbe_graph.errors import ConfigError, InputError
from kbe_graph.graph_access import require_other_graph
from kbe_graph.store import Store


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kbe.Workspace]:
    """A small workspace with a run, on the embedded engine, to be copied."""
    place = tmp_path_factory.mktemp("copied") / "W"
    with kbe.Workspace(place, progress=False) as work, kept_up(place):
        load(work.store)
        work.store.save_questions([family()])
        yield work


@engines.on_a_server
def test_a_graph_goes_to_a_server_and_back_unchanged(
    work: kbe.Workspace, store: Store, engine: engines.Engine, tmp_path: Path
) -> None:
    del store  # it is empty now
    work.export(tmp_path / "before.jsonl", run=RUN.name, everything=True)
    copied = work.graph.copy_to(engine.address)
    assert copied.nodes > 0
    with pytest.raises(InputError, match=r"is not empty; .*`replace`"):
        work.graph.copy_to(engine.address)
    assert work.graph.copy_to(engine.address, replace=True) == copied
    with kbe.Workspace(tmp_path / "server", address=engine.address, progress=False) as there:
        there.export(tmp_path / "there.jsonl", run=RUN.name, everything=True)
    with kbe.Workspace(tmp_path / "back", progress=False) as back:
        assert back.graph.copy_from(engine.address) == copied
        back.export(tmp_path / "back.jsonl", run=RUN.name, everything=True)
    contents = {(tmp_path / f"{name}.jsonl").read_bytes() for name in ("before", "there", "back")}
    assert len(contents) == 1
    assert not [*tmp_path.glob("*/.kbe/.copy*"), *work.folder.hidden.glob(".copy*")]


def test_a_graph_is_not_copied_onto_itself() -> None:
    server = kbe.Address("neo4j://localhost:7687", "neo4j", "secret")
    require_other_graph(None, server)
    require_other_graph(server, kbe.Address("neo4j://localhost:7687", database="other"))
    with pytest.raises(InputError, match=r"is the one at 'neo4j://localhost:7687'; unset NEO4J_URI"):
        require_other_graph(server, server)


def test_a_server_is_reached_with_the_password_of_the_environment(work: kbe.Workspace) -> None:
    with pytest.raises(ConfigError, match="cannot be used"):
        work.graph.copy_to(kbe.Address("http://localhost:7474", "neo4j", "secret"))
