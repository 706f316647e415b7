"""Backup of a whole graph to one file of compressed JSON lines, which any engine can restore.

The first line names the format; the last holds the number of nodes and edges and the SHA-256 of the lines in between,
so that a file can be verified before a graph is modified.
"""

import gzip
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.errors import InputError, StoreError
from kbe_graph.files.opening import byte_lines, open_regular, unpacked
from kbe_graph.files.whole import replacing
from kbe_graph.store.connection import Connection, Stored
from kbe_graph.store.nodes import Row
from kbe_graph.store.statements import VERSION, make_indexes, prepare, record_version, schema_version
from kbe_graph.store.wiki_graph import forget_wiki
from kbe_graph.types import Progress

FORMAT = "kbe graph backup 1"
BATCH = 1_000
NODES = {
    "Sample": ("id", "save_samples"),
    "Entity": ("id", "save_entities"),
    "Term": ("name", "save_terms"),
    "Question": ("id", "save_questions"),
    "Candidate": ("id", "save_candidates"),
    "Inspection": ("id", "save_inspections"),
    "Guess": ("id", "save_guesses"),
    "Form": ("id", "save_forms"),
    "Variant": ("id", "save_variants"),
    "Review": ("id", "save_reviews"),
    "Identity": ("id", "save_identities"),
    "Draft": ("id", "save_drafts"),
    "Release": ("id", "save_releases"),
    "Erratum": ("id", "save_errata"),
    "Run": ("name", "save_runs"),
    "Model": ("name", "save_models"),
    "Round": ("id", "save_rounds"),
    "Picture": ("id", "save_pictures"),
    "Item": ("id", "save_items"),
    "Literal": ("id", "save_literals"),
}
"""Each label with the property that identifies its nodes and the statement that saves them."""
EDGES = {
    "ROOT": "save_roots",
    "IS": "save_is",
    "VISUAL": "save_visual",
    "TEXTUAL": "save_textual",
    "KEY": "save_key",
    "DRAFT": "save_draft",
    "OF": "save_of",
    "EVOLVED_FROM": "save_evolved_from",
    "TWIN_OF": "save_twin_of",
    "FOR": "save_for",
    "ABOUT": "save_about",
    "GUESS_OF": "save_guess_of",
    "ALTERNATIVE": "save_alternatives",
    "FORM_OF": "save_form_of",
    "VARIANT_OF": "save_variant_of",
    "REVIEWS": "save_reviews_of",
    "HOLDS": "save_holds",
    "CORRECTS": "save_corrects",
    "ANSWERED": "save_answered",
    "GREW": "save_grew",
    "DISPUTES": "save_disputes",
    "FROM": "save_from",
    "ABOUT Item": "save_pictured",
    "STATEMENT Item": "save_item_statements",
    "STATEMENT Literal": "save_literal_statements",
}
"""Each edge type with the statement that saves its edges; one whose edges end at several labels stands for each."""


class Backup(NamedTuple):
    """The size of a backup."""

    nodes: int
    edges: int


class Backups(Stored):
    """Backup of the whole graph, and its restoration."""

    def backup(self, file: Path, *, progress: Progress = lambda *_: None) -> Backup:
        """Write the whole graph to ``file``, which is created only on success. Raises InputError and StoreError.

        Nodes are sorted by label and id, then edges by type and endpoints, so that equal graphs give identical files on
        every engine.
        """
        connection = self.connection
        version = schema_version(connection)
        total = sum(row["count"] for row in connection.read("count_all"))
        digest, counts = hashlib.sha256(), {"node": 0, "edge": 0}
        with (
            replacing(file) as stream,
            gzip.GzipFile("", "wb", compresslevel=6, fileobj=stream.buffer, mtime=0) as packed,
            closing(sqlite3.connect("")) as lines,  # an unnamed file, which sorts more lines than the memory holds
        ):
            try:
                lines.execute("CREATE TABLE line (key BLOB, content BLOB)")
                for kind, row in everything(connection):
                    lines.execute("INSERT INTO line VALUES (?, ?)", (_key(kind, row), _line({kind: row})))
                    counts[kind] += 1
                    if not (done := sum(counts.values())) % BATCH:
                        progress("backup", done, total)
                packed.write(_line({"format": FORMAT, "schema": version}))
                for (line,) in lines.execute("SELECT content FROM line ORDER BY key, content"):
                    digest.update(line)
                    packed.write(line)
            except sqlite3.Error as error:
                raise StoreError(
                    f"cannot sort the lines of a backup ({error}); make room for temporary files"
                ) from None
            packed.write(_line({"nodes": counts["node"], "edges": counts["edge"], "sha256": digest.hexdigest()}))
        saved = Backup(counts["node"], counts["edge"])
        progress("backup", sum(saved), sum(saved))
        return saved

    def restore(self, file: Path, *, replace: bool = False, progress: Progress = lambda *_: None) -> Backup:
        """Load a backup into the graph, which must be empty unless ``replace`` is set; then its content is deleted.

        The file is verified first; if it is incomplete, InputError is raised and the graph is unchanged. An interrupted
        restore must be run again with ``replace``; until then the graph cannot be opened.
        """
        connection, (whole, version) = self.connection, verify(file)
        if connection.place.workspace is None and not connection.read("schema_version"):
            schema_version(connection)  # raises for a database with other data
        if not replace and connection.read("any_data"):
            raise InputError(
                f"{connection.place.graph} is not empty; restore into another one, or replace it (`replace`)"
            )
        record_version(connection, VERSION, restoring=True)
        empty(connection)
        make_indexes(connection)
        saved = 0
        for kind in ("node", "edge"):
            for name, batch in _batches(kind, file):
                connection.save({name: batch})
                saved += len(batch)
                progress("restore", saved, sum(whole))
        record_version(connection, version)
        prepare(connection)
        return whole


def _key(kind: str, row: Row) -> bytes:
    if kind == "node":
        ids = [0, row["label"], row["properties"].get(NODES[row["label"]][0])]
    else:
        ids = [1, row["type"], row["subject"], row["object"]]
    return json.dumps(ids, ensure_ascii=False).encode()


def everything(connection: Connection) -> Iterator[tuple[str, Row]]:
    """Yield all nodes, then all edges, unsorted; skip the schema record."""
    for row in connection.stream("all_nodes"):
        if row["label"] in NODES:
            yield "node", row
    for row in connection.stream("all_edges"):
        if row["type"] in EDGES:
            yield "edge", row


def _line(value: Row) -> bytes:
    return (json.dumps(value, ensure_ascii=False, sort_keys=True) + "\n").encode()


def _batches(kind: str, file: Path) -> Iterator[tuple[str, list[Row]]]:
    waiting: dict[str, list[Row]] = {}
    for line in _lines(file):
        row = json.loads(line)
        if kind in row:
            name, saved = _saved(kind, row[kind])
            batch = waiting.setdefault(name, [])
            batch.append(saved)
            if len(batch) == BATCH:
                yield name, waiting.pop(name)
    yield from waiting.items()


def _saved(kind: str, row: Row) -> tuple[str, Row]:
    properties: dict[str, Any] = dict(row["properties"])
    if kind == "node":
        key, name = NODES[row["label"]]
        return name, {"id": properties.pop(key), "properties": properties}
    ends = {"subject": row["subject"], "object": row["object"]}
    return EDGES[row["type"]], ends | {"id": properties.pop("id", ""), "properties": properties}


def empty(connection: Connection) -> None:
    """Delete everything but the schema record, in as many transactions as the engine's memory requires."""
    forget_wiki(connection)
    for shared in (False, True):
        connection.run_until_done("forget_nodes", most=BATCH, shared=shared)


def is_backup(file: Path) -> bool:
    """Return True if a file begins as a backup does."""
    try:
        return _parsed(next(_lines(file), b"")).get("format") == FORMAT
    except InputError:
        return False


def verify(file: Path) -> tuple[Backup, int]:
    """Return the size and schema version of a backup; raises InputError if it is not whole, or of a newer program."""
    lines = _lines(file)
    head = _parsed(next(lines, b""))
    version = head.get("schema")
    if head.get("format") != FORMAT or not isinstance(version, int) or version < 1:
        raise InputError(f"{file}: not a backup of kbe ({FORMAT!r}); give a file that `backup` wrote")
    if version > VERSION:
        raise InputError(f"{file}: schema version {version}, this program knows {VERSION}; use a newer kbe-graph")
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


def _lines(file: Path) -> Iterator[bytes]:
    try:
        with open_regular(file) as packed, unpacked(file, packed) as stream:
            yield from byte_lines(file, stream)
    except FileNotFoundError:
        raise InputError(f"no file {str(file)!r}; give a file that `backup` wrote") from None
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise _not_whole(file, str(getattr(error, "strerror", None) or error)) from None


def _parsed(line: bytes) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


def _not_whole(file: Path, problem: str) -> InputError:
    return InputError(f"{file}: an incomplete backup ({problem}); use another copy of it")
