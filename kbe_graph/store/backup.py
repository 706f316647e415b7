"""A whole graph in one file, from any engine to any other: compressed JSON lines.

The first line says what the file is, the last how many nodes and edges it holds and the SHA-256 of the lines between,
so that a file is known to be whole before a graph is touched.
"""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.files.whole import replacing
from kbe_graph.store.connection import Connection
from kbe_graph.store.rows import Row
from kbe_graph.store.schema import VERSION, begin_restore, prepare, record_version, schema_version

FORMAT = "kbe graph backup 1"
BATCH = 1_000
# what each kind of node is known by, and the statement that saves it; likewise for edges
NODES = {
    "Sample": ("id", "save_samples"),
    "Entity": ("id", "save_entities"),
    "Term": ("name", "save_terms"),
    "Question": ("id", "save_questions"),
    "Candidate": ("id", "save_candidates"),
    "Run": ("name", "save_runs"),
}
EDGES = {
    "ROOT": "save_roots",
    "IS": "save_is",
    "VISUAL": "save_visual",
    "TEXTUAL": "save_textual",
    "KEY": "save_key",
    "OF": "save_of",
    "EVOLVED_FROM": "save_evolved_from",
    "FOR": "save_for",
}


class Backup(NamedTuple):
    """What a backup holds."""

    nodes: int
    edges: int


def backup(connection: Connection, file: Path) -> Backup:
    """Write the whole graph to a file, which appears only when it is whole. Raises InputError and StoreError."""
    version = schema_version(connection)
    digest, counts = hashlib.sha256(), {"node": 0, "edge": 0}
    with replacing(file) as stream, gzip.GzipFile("", "wb", compresslevel=6, fileobj=stream.buffer, mtime=0) as packed:
        packed.write(_line({"format": FORMAT, "schema": version}))
        for kind, row in _everything(connection):
            line = _line({kind: row})
            digest.update(line)
            packed.write(line)
            counts[kind] += 1
        packed.write(_line({"nodes": counts["node"], "edges": counts["edge"], "sha256": digest.hexdigest()}))
    return Backup(counts["node"], counts["edge"])


def _everything(connection: Connection) -> Iterator[tuple[str, Row]]:
    for row in connection.stream("all_nodes"):
        if row["label"] in NODES:
            yield "node", row
    for row in connection.stream("all_edges"):
        if row["type"] in EDGES:
            yield "edge", row


def _line(value: Row) -> bytes:
    return (json.dumps(value, ensure_ascii=False, sort_keys=True) + "\n").encode()


def restore(connection: Connection, file: Path, *, replace: bool = False) -> Backup:
    """Put a backup into the graph, which must be empty unless ``replace`` says that what is there may go.

    The file is read through first; where it is not whole, InputError is raised and the graph stays as it is. A restore
    that is interrupted must be run again with ``replace``; until then the graph is refused.
    """
    found, version = verify(file)
    if not connection.read("schema_version"):
        schema_version(connection)  # refuses foreign data
    if replace:
        begin_restore(connection)
        empty(connection)
    elif connection.read("any_data"):
        raise InputError(
            f"the graph at {connection.place.uri} is not empty; restore into another one, or replace it with --replace"
        )
    begin_restore(connection)
    _write(connection, "node", _rows(file))
    _write(connection, "edge", _rows(file))
    record_version(connection, version)
    prepare(connection)
    return found


def verify(file: Path) -> tuple[Backup, int]:
    """Return what a backup holds and its schema version; raises InputError where it is not whole."""
    digest = hashlib.sha256()
    counts = {"node": 0, "edge": 0}
    lines = _lines(file)
    first = _parsed(file, next(lines, b"{}"))
    last: Row = {}
    if first.get("format") != FORMAT:
        raise InputError(f"{file}: not a backup of kbe ({FORMAT!r}); give a file that 'kbe db backup' wrote")
    if int(first["schema"]) > VERSION:
        raise InputError(
            f"{file}: schema version {first['schema']}, this program knows {VERSION}; use a newer kbe-graph"
        )
    for line in lines:
        last = _parsed(file, line)
        if "sha256" not in last:
            digest.update(line)
            counts[next(iter(last))] += 1
    found = Backup(counts["node"], counts["edge"])
    if last != {"nodes": found.nodes, "edges": found.edges, "sha256": digest.hexdigest()}:
        raise _not_whole(file, "its end is missing, or something in it was changed")
    return found, int(first["schema"])


def _lines(file: Path) -> Iterator[bytes]:
    try:
        with gzip.open(file, "rb") as stream:
            yield from stream
    except FileNotFoundError:
        raise InputError(f"no file {str(file)!r}; give a file that 'kbe db backup' wrote") from None
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise _not_whole(file, str(error)) from None


def _parsed(file: Path, line: bytes) -> Row:
    try:
        row = json.loads(line)
    except ValueError:
        raise _not_whole(file, "a line is no JSON") from None
    return row if isinstance(row, dict) else {}


def _not_whole(file: Path, problem: str) -> InputError:
    return InputError(f"{file}: not a whole backup ({problem}); use another copy of it")


def _rows(file: Path) -> Iterator[Row]:
    return (json.loads(line) for line in _lines(file))


def _write(connection: Connection, kind: str, rows: Iterable[Row]) -> None:
    """Write all nodes, or all edges, in batches of one sort."""
    waiting: dict[str, list[Row]] = {}
    for row in rows:
        if kind not in row:
            continue
        name, saved = _node(row[kind]) if kind == "node" else _edge(row[kind])
        batch = waiting.setdefault(name, [])
        batch.append(saved)
        if len(batch) == BATCH:
            _save(connection, name, waiting.pop(name))
    for name, batch in waiting.items():
        _save(connection, name, batch)


def _save(connection: Connection, name: str, rows: list[Row]) -> None:
    connection.write(lambda transaction: transaction.save(name, rows))


def _node(row: Row) -> tuple[str, Row]:
    key, name = NODES[row["label"]]
    properties: dict[str, Any] = dict(row["properties"])
    return name, {"id": properties.pop(key), "properties": properties}


def _edge(row: Row) -> tuple[str, Row]:
    properties: dict[str, Any] = dict(row["properties"])
    ends = {"subject": row["subject"], "object": row["object"]}
    return EDGES[row["type"]], ends | {"id": properties.pop("id", ""), "properties": properties}


def empty(connection: Connection) -> None:
    """Take everything out of the graph but the record of its schema."""
    while connection.write(lambda transaction: transaction.run("forget_nodes", most=BATCH))[0]["count"]:
        pass
