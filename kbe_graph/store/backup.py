"""Backup of a whole graph to one file of compressed JSON lines, which any engine can restore.

The first line names the format; the last holds the number of nodes and edges and the SHA-256 of the lines in between,
so that a file can be verified before a graph is modified.
"""

import gzip
import hashlib
import heapq
import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, NamedTuple, Self

from kbe_graph.files.whole import folder_of, replacing
from kbe_graph.store.connection import Connection
from kbe_graph.store.row_check import Row
from kbe_graph.store.schema import schema_version
from kbe_graph.types import Progress

FORMAT = "kbe graph backup 1"
BATCH = 1_000
MEMORY = 64 << 20  # bytes of lines held in memory
OBJECT = 41  # overhead of a line in memory, in bytes
_END = b"\0"  # ends a key; no line of JSON contains it


class NodeKind(NamedTuple):
    """A node label: the property that identifies its nodes and the statement that saves them."""

    key: str
    statement: str


class EdgeKind(NamedTuple):
    """An edge type: the labels that it connects and the statement that saves its edges.

    A type whose edges end at several labels has one kind for each, named by the type, a space and the label.
    """

    subject: str
    object: str
    statement: str


NODES = {
    "Sample": NodeKind("id", "save_samples"),
    "Entity": NodeKind("id", "save_entities"),
    "Term": NodeKind("name", "save_terms"),
    "Question": NodeKind("id", "save_questions"),
    "Candidate": NodeKind("id", "save_candidates"),
    "Inspection": NodeKind("id", "save_inspections"),
    "Guess": NodeKind("id", "save_guesses"),
    "Form": NodeKind("id", "save_forms"),
    "Variant": NodeKind("id", "save_variants"),
    "Review": NodeKind("id", "save_reviews"),
    "Run": NodeKind("name", "save_runs"),
    "Model": NodeKind("name", "save_models"),
    "Picture": NodeKind("id", "save_pictures"),
    "Item": NodeKind("id", "save_items"),
    "Literal": NodeKind("id", "save_literals"),
}
EDGES = {
    "ROOT": EdgeKind("Sample", "Entity", "save_roots"),
    "IS": EdgeKind("Entity", "Term", "save_is"),
    "VISUAL": EdgeKind("Entity", "Entity", "save_visual"),
    "TEXTUAL": EdgeKind("Entity", "Entity", "save_textual"),
    "KEY": EdgeKind("Entity", "Entity", "save_key"),
    "OF": EdgeKind("Question", "Sample", "save_of"),
    "EVOLVED_FROM": EdgeKind("Question", "Question", "save_evolved_from"),
    "FOR": EdgeKind("Candidate", "Question", "save_for"),
    "ABOUT": EdgeKind("Inspection", "Question", "save_about"),
    "GUESS_OF": EdgeKind("Guess", "Question", "save_guess_of"),
    "ALTERNATIVE": EdgeKind("Question", "Entity", "save_alternatives"),
    "FORM_OF": EdgeKind("Form", "Question", "save_form_of"),
    "VARIANT_OF": EdgeKind("Variant", "Question", "save_variant_of"),
    "REVIEWS": EdgeKind("Review", "Question", "save_reviews_of"),
    "ANSWERED": EdgeKind("Model", "Question", "save_answered"),
    "FROM": EdgeKind("Sample", "Picture", "save_from"),
    "ABOUT Item": EdgeKind("Picture", "Item", "save_pictured"),
    "STATEMENT Item": EdgeKind("Item", "Item", "save_item_statements"),
    "STATEMENT Literal": EdgeKind("Item", "Literal", "save_literal_statements"),
}


class Backup(NamedTuple):
    """The size of a backup."""

    nodes: int
    edges: int


class SortedLines:
    """External sort of JSON lines by key, then by content.

    Beyond ``most`` bytes, lines spill to unnamed temporary files in ``folder`` (None: the system's default), which
    disappear however the process ends. Use as a context manager. Raises OSError if there is no space.
    """

    def __init__(self, folder: Path | None, most: int = MEMORY) -> None:
        self._folder, self._most = folder, most
        self._lines: list[bytes] = []
        self._size = 0
        self._parts: list[IO[bytes]] = []
        self._files = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def add(self, key: bytes, line: bytes) -> None:
        """Add a line, which must end with a newline."""
        self._lines.append(key + _END + line)
        self._size += len(self._lines[-1]) + OBJECT
        if self._size > self._most:
            self._put_aside()

    def __iter__(self) -> Iterator[bytes]:
        """Yield the lines in order; can be iterated only once."""
        self._lines.sort()
        parts = [gzip.GzipFile(fileobj=part) for part in self._parts]
        for line in heapq.merge(self._lines, *parts) if parts else self._lines:
            yield line.partition(_END)[2]

    def _put_aside(self) -> None:
        part = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - it stays open until all lines are read
        self._files.enter_context(part)
        with gzip.GzipFile(fileobj=part, mode="wb", compresslevel=1) as packed:
            packed.writelines(sorted(self._lines))
        part.seek(0)
        self._parts.append(part)
        self._lines, self._size = [], 0


def backup(connection: Connection, file: Path, *, progress: Progress) -> Backup:
    """Write the whole graph to ``file``, which is created only on success. Raises InputError and StoreError.

    Nodes are sorted by label and id, then edges by type and endpoints, so that equal graphs give identical files on
    every engine.
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
    if kind == "node":
        ids = [0, row["label"], row["properties"].get(NODES[row["label"]].key)]
    else:
        ids = [1, row["type"], row["subject"], row["object"]]
    return json.dumps(ids, ensure_ascii=False).encode()


def add_everything(connection: Connection, lines: SortedLines) -> Iterator[tuple[str, Row]]:
    """Add every node and edge to ``lines``, whose order is the same for equal graphs, and yield each one."""
    for kind, row in everything(connection):
        lines.add(_key(kind, row), _line({kind: row}))
        yield kind, row


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
