"""Restore of a backup; the file is verified first, and refused if a graph cannot hold all of it."""

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from kbe_graph.errors import InputError
from kbe_graph.files.opening import byte_lines, open_regular, unpacked
from kbe_graph.store.backup import BATCH, EDGES, FORMAT, NODES, Backup
from kbe_graph.store.connection import Connection, Transaction
from kbe_graph.store.message_size import row_size
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

# edge types whose edges have an id
NUMBERED = {"VISUAL", "TEXTUAL", "KEY", "ALTERNATIVE", "ANSWERED", "STATEMENT Item", "STATEMENT Literal"}


def restore(connection: Connection, file: Path, *, replace: bool = False, progress: Progress) -> Backup:
    """Load a backup into the graph, which must be empty unless ``replace`` is set; then its content is deleted.

    The file is verified first; if it is incomplete, InputError is raised and the graph is unchanged. An interrupted
    restore must be run again with ``replace``; until then the graph cannot be opened.
    """
    found, version = verify(file)
    if connection.place.workspace is None and not connection.read("schema_version"):
        schema_version(connection)  # raises for a database with other data
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
    """Write all nodes or all edges, in batches of one label or type; yield the size of each batch written."""
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


class _Fault(Exception):
    """A fault in a line."""


def verify(file: Path) -> tuple[Backup, int]:
    """Return the size and schema version of a backup; raises InputError, naming the line, if the file is incomplete."""
    lines = packed_lines(file)
    version = _version(file, _parsed(file, 1, next(lines, b"{}")))
    digest, counts, nodes, last = hashlib.sha256(), {"node": 0, "edge": 0}, set[int](), None
    lost = 0  # line number of an edge with a missing end
    for number, line in enumerate(lines, start=2):
        if last is not None:
            raise _not_whole(file, f"line {number} comes after its end")
        row = _parsed(file, number, line)
        if "sha256" in row:
            last = row
            continue
        try:
            kind = _check(row)
        except _Fault as fault:
            raise _odd(file, number, str(fault)) from None
        if not _has_ends(kind, row[kind], nodes):
            lost = lost or number
        digest.update(line)
        counts[kind] += 1
    whole = Backup(counts["node"], counts["edge"])
    if last != {"nodes": whole.nodes, "edges": whole.edges, "sha256": digest.hexdigest()}:
        raise _not_whole(file, "its end is missing, or something in it was changed")
    if lost:
        raise _odd(file, lost, "an edge refers to a node that the file does not contain before it")
    return whole, version


def packed_lines(file: Path) -> Iterator[bytes]:
    """Yield the lines of a backup; raises InputError if it cannot be decompressed."""
    try:
        with open_regular(file) as packed, unpacked(file, packed) as stream:
            yield from byte_lines(file, stream)
    except FileNotFoundError:
        raise InputError(f"no file {str(file)!r}; give a file that `work.graph.backup(FILE)` wrote") from None
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise _not_whole(file, str(getattr(error, "strerror", None) or error)) from None


def _version(file: Path, head: Row) -> int:
    if head.get("format") != FORMAT:
        raise InputError(f"{file}: not a backup of kbe ({FORMAT!r}); give a file that `work.graph.backup(FILE)` wrote")
    version = head.get("schema")
    if not is_version(version):
        raise _odd(file, 1, f"{version!r} is not a schema version")
    if version > VERSION:
        raise InputError(f"{file}: schema version {version}, this program knows {VERSION}; use a newer kbe-graph")
    return version


def _parsed(file: Path, number: int, line: bytes) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise _not_whole(file, f"line {number} is not JSON") from None
    return row if isinstance(row, dict) else {}


def _not_whole(file: Path, problem: str) -> InputError:
    return InputError(f"{file}: an incomplete backup ({problem}); use another copy of it")


def _odd(file: Path, line: int, problem: str) -> InputError:
    return InputError(f"{file} line {line}: {problem}; restore another backup")


def _check(row: Row) -> str:
    """Return the kind of a line, node or edge; raises _Fault if it cannot be saved."""
    kind = next(iter(row), "")
    if len(row) != 1 or kind not in {"node", "edge"} or not isinstance(row[kind], dict):
        raise _Fault("neither a node nor an edge")
    value, names = row[kind], NODES if kind == "node" else EDGES
    name = value.get("label" if kind == "node" else "type")
    if not isinstance(name, str) or name not in names:
        raise _Fault(f"no {kind} is a {name!r}")
    properties = value.get("properties")
    if not isinstance(properties, dict):
        raise _Fault(f"the properties of a {name} must be a mapping")
    if wrong := [name for name, inner in properties.items() if not (_is_text(name) and _is_plain(inner))]:
        raise _Fault(f"property {wrong[0]!r} is not a plain value")
    if kind == "edge":
        ids = [value.get("subject"), value.get("object"), *([properties.get("id")] if name in NUMBERED else [])]
    else:
        ids = [properties.get(NODES[name].key)]
    if not all(_is_text(id_) and id_ for id_ in ids):
        raise _Fault(f"a {name} without an id, or with one that is not text")
    try:
        row_size({"id": ids[0], **value})
    except InputError as error:
        raise _Fault(str(error)) from None
    return kind


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(map(_is_single, value)) and len({_sort(each) for each in value}) <= 1
    return value is None or _is_single(value)


def _sort(value: object) -> type:
    return float if type(value) is int else type(value)


def _is_single(value: object) -> bool:
    """Return True if a graph can hold the value: UTF-8 text, a 64-bit number or a Boolean."""
    if isinstance(value, str):
        return _is_text(value)
    if isinstance(value, int):
        return -(1 << 63) <= value < 1 << 63
    return isinstance(value, float)


def _is_text(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _has_ends(kind: str, value: Mapping[str, Any], nodes: set[int]) -> bool:
    """Return True if both ends of an edge are among the nodes seen so far; a node is added to them.

    Nodes are stored as hashes, as a graph may have millions.
    """
    if kind == "node":
        label = value["label"]
        nodes.add(hash((label, value["properties"][NODES[label].key])))
        return True
    edge = EDGES[value["type"]]
    return {hash((edge.subject, value["subject"])), hash((edge.object, value["object"]))} <= nodes
