"""Reads a backup through and refuses one that could not be put into a graph whole, before a graph is touched."""

import hashlib
import json
import zlib
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.files.opening import byte_lines, open_regular, unpacked
from kbe_graph.store.message_size import row_size
from kbe_graph.store.rows import Row
from kbe_graph.store.schema import VERSION, is_version

if TYPE_CHECKING:
    import numpy as np

FORMAT = "kbe graph backup 1"
AT_ONCE = 100_000


class NodeKind(NamedTuple):
    """What a node is known by, and the statement that saves it."""

    key: str
    statement: str


class EdgeKind(NamedTuple):
    """The labels that an edge joins, and the statement that saves it."""

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
    "Form": NodeKind("id", "save_forms"),
    "Run": NodeKind("name", "save_runs"),
    "Model": NodeKind("name", "save_models"),
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
    "FORM_OF": EdgeKind("Form", "Question", "save_form_of"),
    "ANSWERED": EdgeKind("Model", "Question", "save_answered"),
}
NUMBERED = {"VISUAL", "TEXTUAL", "KEY", "ANSWERED"}  # edges that have an id


class Backup(NamedTuple):
    """What a backup holds."""

    nodes: int
    edges: int


class _Fault(Exception):
    """What is wrong with a line."""


def verify(file: Path) -> tuple[Backup, int]:
    """Return what a backup holds and its schema version; raises InputError where it is not whole, with the line."""
    lines = packed_lines(file)
    version = _version(file, _parsed(file, 1, next(lines, b"{}")))
    digest, counts, ends, last = hashlib.sha256(), {"node": 0, "edge": 0}, _Ends(file), None
    for number, line in enumerate(lines, start=2):
        if last is not None:
            raise _not_whole(file, f"line {number} stands after its end")
        row = _parsed(file, number, line)
        if "sha256" in row:
            last = row
            continue
        try:
            kind = _check(row)
            ends.take(number, kind, row[kind])
        except _Fault as fault:
            raise _odd(file, number, str(fault)) from None
        digest.update(line)
        counts[kind] += 1
    whole = Backup(counts["node"], counts["edge"])
    if last != {"nodes": whole.nodes, "edges": whole.edges, "sha256": digest.hexdigest()}:
        raise _not_whole(file, "its end is missing, or something in it was changed")
    ends.check()
    return whole, version


def packed_lines(file: Path) -> Iterator[bytes]:
    """Give the lines of a backup; raises InputError where it cannot be unpacked."""
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
        raise _odd(file, 1, f"no schema version is {version!r}")
    if version > VERSION:
        raise InputError(f"{file}: schema version {version}, this program knows {VERSION}; use a newer kbe-graph")
    return version


def _parsed(file: Path, number: int, line: bytes) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise _not_whole(file, f"line {number} is no JSON") from None
    return row if isinstance(row, dict) else {}


def _not_whole(file: Path, problem: str) -> InputError:
    return InputError(f"{file}: not a whole backup ({problem}); use another copy of it")


def _odd(file: Path, line: int, problem: str) -> InputError:
    return InputError(f"{file} line {line}: {problem}; restore another backup")


def _check(row: Row) -> str:
    """Return whether a line is a node or an edge that can be saved; raises _Fault."""
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
        raise _Fault(f"property {wrong[0]!r} is no plain value")
    if kind == "edge":
        ids = [value.get("subject"), value.get("object"), *([properties.get("id")] if name in NUMBERED else [])]
    else:
        ids = [properties.get(NODES[name].key)]
    if not all(_is_text(id_) and id_ for id_ in ids):
        raise _Fault(f"a {name} without an id, or with one that is no text")
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
    """Whether a graph can hold the value: text that is UTF-8, a number of 64 bits, true or false."""
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


class _Ends:
    """Which nodes a backup holds, as 8 bytes each, and which ends its edges have, of some edges at a time."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._nodes = array("q")
        self._sorted: np.ndarray[Any, np.dtype[np.int64]] | None = None
        self._ends: list[int] = []
        self._lines: list[int] = []

    def take(self, number: int, kind: str, value: Mapping[str, Any]) -> None:
        """Take a line in; raises InputError as ``check``, and _Fault for a node that stands after an edge."""
        if kind == "node":
            if self._lines or self._sorted is not None:
                raise _Fault("a node stands after an edge")
            label = value["label"]
            self._nodes.append(hash((label, value["properties"][NODES[label].key])))
            return
        edge = EDGES[value["type"]]
        self._ends += [hash((edge.subject, value["subject"])), hash((edge.object, value["object"]))]
        self._lines.append(number)
        if len(self._lines) == AT_ONCE:
            self.check()

    def check(self) -> None:
        """Raise InputError where an edge has an end that is no node."""
        import numpy as np

        if self._sorted is None:
            self._sorted = np.sort(np.array(self._nodes, dtype=np.int64))
        ends = np.array(self._ends, dtype=np.int64)
        places = np.searchsorted(self._sorted, ends)
        missing = np.append(self._sorted, 0)[places] != ends
        missing |= places == len(self._sorted)
        if missing.any():
            line = self._lines[int(missing.argmax()) // 2]
            raise _odd(self._file, line, "an edge has an end that is not in the file")
        self._ends, self._lines = [], []
