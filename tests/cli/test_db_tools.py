"""``kbe db`` gives the graph to other engines and tools."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import kbe, kbe_here, kept_up
from engines import Engine
from specimens import family, load

from kbe_graph import Workspace
from kbe_graph.store import Store


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A small workspace with a run, its engine up."""
    folder = tmp_path_factory.mktemp("small") / "W"
    with Workspace(folder, progress=False) as work, kept_up(folder):
        load(work.store)
        work.store.save_questions([family()])
        yield folder


def test_triplets_are_written_for_tools_that_draw_and_reason(small: Path, tmp_path: Path) -> None:
    said = kbe_here("-w", small, "db", "export", tmp_path / "graph.graphml", "--run", "first")
    assert said == f"wrote 12 nodes and 10 edges to {tmp_path / 'graph.graphml'}\n"
    sample = ("--sample", "okvqa/val/2")
    written = json.loads(kbe_here("-w", small, "db", "export", tmp_path / "a.graphml", *sample, "--json"))
    assert written["edges"] == 4
    assert "no run 'other'" in kbe_here("-w", small, "db", "export", tmp_path / "b.graphml", "--run", "other", code=1)
    graphml = kbe("-w", small, "db", "export", "-", *sample)
    assert graphml == (tmp_path / "a.graphml").read_text()


def test_a_graph_is_copied_to_a_server_and_from_it(
    small: Path, embedded_engine: Engine, embedded_store: Store, tmp_path: Path
) -> None:
    del embedded_store  # it is empty now
    address, uri = embedded_engine.address, embedded_engine.address.uri
    login = [f"{part} = {json.dumps(getattr(address, part))}\n" for part in ("username", "password", "database")]
    kbe_here("-w", tmp_path / "two", "init")
    for folder in (small, tmp_path / "two"):
        (folder / "kbe.toml").write_text("".join(["[graph]\n", *login]))
    assert kbe_here("-w", small, "db", "copy", "--to", uri).endswith(f"edges to {uri}\n")
    assert "is not empty" in kbe_here("-w", small, "db", "copy", "--to", uri, code=1)
    with kept_up(tmp_path / "two"):
        assert json.loads(kbe_here("-w", tmp_path / "two", "db", "copy", "--from", uri, "--json"))["nodes"]
        for place in (small, tmp_path / "two"):
            kbe_here("-w", place, "export", "jsonl", tmp_path / f"{place.name}.jsonl", "--all")
    assert (tmp_path / "W.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_what_cannot_be_copied_is_told(small: Path, embedded_engine: Engine) -> None:
    address = embedded_engine.address
    assert "give either --to URI or --from URI" in kbe_here("-w", small, "db", "copy", code=2)
    assert "give either --to URI or --from URI" in kbe_here(
        "-w", small, "db", "copy", "--to", "a", "--from", "b", code=2
    )
    said = kbe("-w", small, "db", "copy", "--to", address.uri, address=address, code=1)
    assert f"the graph of the workspace is the one at '{address.uri}'; unset NEO4J_URI" in said
