"""A whole graph as files that neo4j-admin imports: read in by the real tool, it is the same graph."""

import csv
import json
import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import neo4j_server
import pytest
from engines import ENGINES, REQUIRED, WAYS
from specimens import dump, family, load

from kbe_graph.errors import InputError
from kbe_graph.store import Address, Store, open_store
from kbe_graph.store.bulk_import import README, BulkImport, write_bulk_import
from kbe_graph.types import Prediction, Sample, Vote

ODD = Sample(
    "odd/x/1",
    "odd",
    "x",
    'two\nlines, a comma and "quotes" \\ and a backslash\\',
    "",
    ("a;b", "", 'c"d', "e,f\ng"),
)
RELEASE = next((name for name in ENGINES if name in neo4j_server.VERSIONS), "")


def bulk_import(store: Store, folder: Path) -> BulkImport:
    return write_bulk_import(store.connection, folder, progress=lambda *_: None)


@pytest.fixture
def full(embedded_store: Store) -> Store:
    """A graph with samples, one of odd texts, a run, questions and what a model answered."""
    load(embedded_store)
    embedded_store.save_samples([ODD])
    embedded_store.save_questions([family()])
    votes = (Vote("exact", "wrong"),)
    answer = Prediction("llava", family().question.id, " giraffidae ", tokens=3, verdict="right", votes=votes)
    embedded_store.save_predictions([answer])
    return embedded_store


@pytest.fixture
def files(full: Store, tmp_path: Path) -> tuple[Path, BulkImport]:
    """The folder that the graph was written to, and what was said of it."""
    folder = tmp_path / "to" / "import"
    return folder, bulk_import(full, folder)


def in_neo4j(files: tuple[Path, BulkImport], home: Path) -> Iterator[Store]:
    """Give the files as a Neo4j server has them after the import."""
    folder, written = files
    arguments = shlex.split(written.command.replace("\\\n", ""))[1:]
    fill = partial(neo4j_server.admin, RELEASE, arguments=arguments, folder=folder)
    server = neo4j_server.start(RELEASE, folder=home, quick=True, fill=fill)
    try:
        with open_store(folder, Address(server.uri, server.username, server.password)) as store:
            yield store
    finally:
        neo4j_server.stop(server)


@pytest.fixture
def imported(files: tuple[Path, BulkImport], tmp_path: Path) -> Iterator[Store]:
    """The graph in a Neo4j server that the real tool imported it into."""
    try:
        neo4j_server.install(RELEASE) if RELEASE else pytest.skip(f"no Neo4j from Maven; {WAYS}")
    except neo4j_server.ServerError as error:
        if RELEASE in REQUIRED:
            raise
        pytest.skip(f"no Neo4j {RELEASE} ({error}); {WAYS}")
    yield from in_neo4j(files, tmp_path / "home")


def test_the_real_tool_imports_the_same_graph(full: Store, imported: Store) -> None:
    assert list(map(without_empty_lists, dump(full))) == dump(imported)
    assert full.samples() == imported.samples()
    assert full.questions() == imported.questions()


def without_empty_lists(line: str) -> str:
    """Return a line of a dump without the lists that are empty: the tool cannot read one, and it reads as none."""
    row = json.loads(line)
    row["properties"] = {name: value for name, value in row["properties"].items() if value != []}
    return json.dumps(row, sort_keys=True, ensure_ascii=False)


def test_there_is_a_file_a_label_and_type_and_the_command_stands_beside(files: tuple[Path, BulkImport]) -> None:
    folder, written = files
    names = {file.name for file in folder.iterdir()}
    assert {"nodes-Sample.csv", "nodes-Schema.csv", "edges-VISUAL.csv", "edges-ANSWERED.csv", README} <= names
    assert written.command in (folder / README).read_text()
    assert "as a formula" in (folder / README).read_text()
    assert written.nodes + written.edges == sum(map(rows, folder.glob("*.csv"))) - 1
    header = (folder / "edges-VISUAL.csv").read_text().splitlines()[0]
    assert header.startswith(":START_ID(Entity),:END_ID(Entity),")
    assert "hop:long" in header.split(",")


def rows(file: Path) -> int:
    """Return how many rows a file has, its header left out."""
    with file.open(newline="") as stream:
        return len(list(csv.reader(stream))) - 1


def test_it_is_written_again_over_itself(full: Store, files: tuple[Path, BulkImport]) -> None:
    folder, written = files
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert bulk_import(full, folder) == written
    assert before == {file.name: file.read_bytes() for file in folder.iterdir()}


def test_what_parts_lists_is_refused_within_them(embedded_store: Store, tmp_path: Path) -> None:
    embedded_store.save_samples([Sample("odd/x/2", "odd", "x", "Why?", "a", ("a\x1fb",))])
    with pytest.raises(InputError, match=r"'a\\x1fb' holds '\\x1f'"):
        bulk_import(embedded_store, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told(embedded_store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot make the folder .*; choose another place"):
        bulk_import(embedded_store, tmp_path / "file")
