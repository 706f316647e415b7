"""A whole graph in one file, from any engine to any other: compressed JSON lines.

The first line says what the file is, the last how many nodes and edges it holds and the SHA-256 of the lines between,
so that a file is known to be whole before a graph is touched.
"""

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from kbe_graph.errors import InputError
from kbe_graph.files.whole import folder_of, replacing
from kbe_graph.store.backup_check import EDGES, FORMAT, NODES, Backup, packed_lines, verify
from kbe_graph.store.connection import Connection, Transaction
from kbe_graph.store.rows import Row
from kbe_graph.store.schema import begin_restore, make_indexes, prepare, record_version, schema_version
from kbe_graph.store.sorted_lines import SortedLines
from kbe_graph.types import Progress

BATCH = 1_000


def backup(connection: Connection, file: Path, *, progress: Progress) -> Backup:
    """Write the whole graph to a file, which appears only when it is whole. Raises InputError and StoreError.

    Nodes come by label and id, then edges by type and ends, so that equal graphs are equal files, on every engine.
    """
    version = schema_version(connection)
    total = sum(row["count"] for row in connection.read("count_all"))
    digest, counts = hashlib.sha256(), {"node": 0, "edge": 0}
    with (
        replacing(file) as stream,
        gzip.GzipFile("", "wb", compresslevel=6, fileobj=stream.buffer, mtime=0) as packed,
        SortedLines(folder_of(file)) as lines,
    ):
        for kind, _ in add_everything(connection, lines):
            counts[kind] += 1
            if not (done := sum(counts.values())) % BATCH:
                progress("backup", done, total)
        packed.write(_line({"format": FORMAT, "schema": version}))
        for line in lines:
            digest.update(line)
            packed.write(line)
        packed.write(_line({"nodes": counts["node"], "edges": counts["edge"], "sha256": digest.hexdigest()}))
    saved = Backup(counts["node"], counts["edge"])
    progress("backup", sum(saved), sum(saved))
    return saved


def _key(kind: str, row: Row) -> bytes:
    """Return what a node or an edge is sorted by: nodes come first."""
    if kind == "node":
        ids = [0, row["label"], row["properties"].get(NODES[row["label"]].key)]
    else:
        ids = [1, row["type"], row["subject"], row["object"]]
    return json.dumps(ids, ensure_ascii=False).encode()


def add_everything(connection: Connection, lines: SortedLines) -> Iterator[tuple[str, Row]]:
    """Add each node and edge to lines, which come in an order that is the same for equal graphs; give each as well."""
    for kind, row in _everything(connection):
        lines.add(_key(kind, row), _line({kind: row}))
        yield kind, row


def _everything(connection: Connection) -> Iterator[tuple[str, Row]]:
    """Give each node, then each edge, as it comes; the record of the schema is left out."""
    for row in connection.stream("all_nodes"):
        if row["label"] in NODES:
            yield "node", row
    for row in connection.stream("all_edges"):
        if row["type"] in EDGES:
            yield "edge", row


def _line(value: Row) -> bytes:
    return (json.dumps(value, ensure_ascii=False, sort_keys=True) + "\n").encode()


def restore(connection: Connection, file: Path, *, replace: bool = False, progress: Progress) -> Backup:
    """Put a backup into the graph, which must be empty unless ``replace`` says that what is there may go.

    The file is read through first; where it is not whole, InputError is raised and the graph stays as it is. A restore
    that is interrupted must be run again with ``replace``; until then the graph is refused.
    """
    found, version = verify(file)
    if connection.place.workspace is None and not connection.read("schema_version"):
        schema_version(connection)  # refuses foreign data
    if not replace and connection.read("any_data"):
        raise InputError(
            f"{connection.place.graph} is not empty; restore into another one, or replace it with `replace=True`"
        )
    begin_restore(connection)
    empty(connection)
    make_indexes(connection)
    saved = 0
    for kind in ("node", "edge"):
        for batch in _write(connection, kind, _rows(file)):
            saved += batch
            progress("restore", saved, sum(found))
    record_version(connection, version)
    prepare(connection)
    return found


def _rows(file: Path) -> Iterator[Row]:
    return (json.loads(line) for line in packed_lines(file))


def _write(connection: Connection, kind: str, rows: Iterable[Row]) -> Iterator[int]:
    """Write all nodes, or all edges, in batches of one sort; give the size of each that was written."""
    waiting: dict[str, list[Row]] = {}
    for row in rows:
        if kind not in row:
            continue
        name, saved = _node(row[kind]) if kind == "node" else _edge(row[kind])
        batch = waiting.setdefault(name, [])
        batch.append(saved)
        if len(batch) == BATCH:
            yield _save(connection, name, waiting.pop(name))
    for name, batch in waiting.items():
        yield _save(connection, name, batch)


def _save(connection: Connection, name: str, rows: list[Row]) -> int:
    connection.write(lambda transaction: transaction.save(name, rows))
    return len(rows)


def _node(row: Row) -> tuple[str, Row]:
    key, name = NODES[row["label"]]
    properties: dict[str, Any] = dict(row["properties"])
    return name, {"id": properties.pop(key), "properties": properties}


def _edge(row: Row) -> tuple[str, Row]:
    properties: dict[str, Any] = dict(row["properties"])
    ends = {"subject": row["subject"], "object": row["object"]}
    return EDGES[row["type"]].statement, ends | {"id": properties.pop("id", ""), "properties": properties}


def empty(connection: Connection) -> None:
    """Take everything out of the graph but the record of its schema, in as many transactions as its memory needs."""
    for shared in (False, True):
        while connection.write(partial(_forget, shared=shared)):
            pass


def _forget(transaction: Transaction, *, shared: bool) -> int:
    count: int = transaction.run("forget_nodes", most=BATCH, shared=shared)[0]["count"]
    return count
