"""Restore of a backup; the file is verified first, and refused if a graph cannot hold all of it."""

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from kbe_graph.errors import InputError
from kbe_graph.files.opening import byte_lines, open_regular, unpacked
from kbe_graph.store.backup import BATCH, EDGES, FORMAT, NODES, Backup
from kbe_graph.store.connection import Connection, Transaction
from kbe_graph.store.row_check import Row
from kbe_graph.store.schema import (
    VERSION,
    begin_restore,
    is_version,
    make_indexes,
    prepare,
    record_version,
    schema_version,
)
from kbe_graph.store.wiki_graph import forget_wiki
from kbe_graph.types import Progress


def restore(connection: Connection, file: Path, *, replace: bool = False, progress: Progress) -> Backup:
    """Load a backup into the graph, which must be empty unless ``replace`` is set; then its content is deleted.

    The file is verified first; if it is incomplete, InputError is raised and the graph is unchanged. An interrupted
    restore must be run again with ``replace``; until then the graph cannot be opened.
    """
    found, version = verify(file)
    if connection.place.workspace is None and not connection.read("schema_version"):
        schema_version(connection)  # raises for a database with other data
    if not replace and connection.read("any_data"):
        raise InputError(f"{connection.place.graph} is not empty; restore into another one, or replace it (`replace`)")
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
    """Delete everything but the schema record, in as many transactions as the engine's memory requires."""
    forget_wiki(connection)
    for shared in (False, True):
        while connection.write(partial(_forget, shared=shared)):
            pass


def _forget(transaction: Transaction, *, shared: bool) -> int:
    count: int = transaction.run("forget_nodes", most=BATCH, shared=shared)[0]["count"]
    return count


def verify(file: Path) -> tuple[Backup, int]:
    """Return the size and schema version of a backup; raises InputError if it is not whole, or of a newer program."""
    lines = packed_lines(file)
    version = _version(file, _parsed(next(lines, b"")))
    digest, counts, last = hashlib.sha256(), {"node": 0, "edge": 0}, b""
    for line in lines:
        if last:
            digest.update(last)
            counts["node" if last.startswith(b'{"node"') else "edge"] += 1
        last = line
    whole = Backup(counts["node"], counts["edge"])
    if _parsed(last) != {"nodes": whole.nodes, "edges": whole.edges, "sha256": digest.hexdigest()}:
        raise _not_whole(file, "its end is missing, or something in it was changed")
    return whole, version


def packed_lines(file: Path) -> Iterator[bytes]:
    """Yield the lines of a backup; raises InputError if it cannot be decompressed."""
    try:
        with open_regular(file) as packed, unpacked(file, packed) as stream:
            yield from byte_lines(file, stream)
    except FileNotFoundError:
        raise InputError(f"no file {str(file)!r}; give a file that `backup` wrote") from None
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise _not_whole(file, str(getattr(error, "strerror", None) or error)) from None


def _version(file: Path, head: Row) -> int:
    if head.get("format") != FORMAT:
        raise InputError(f"{file}: not a backup of kbe ({FORMAT!r}); give a file that `backup` wrote")
    version = head.get("schema")
    if not is_version(version):
        raise _not_whole(file, f"{version!r} is not a schema version")
    if version > VERSION:
        raise InputError(f"{file}: schema version {version}, this program knows {VERSION}; use a newer kbe-graph")
    return version


def _parsed(line: bytes) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


def _not_whole(file: Path, problem: str) -> InputError:
    return InputError(f"{file}: an incomplete backup ({problem}); use another copy of it")
