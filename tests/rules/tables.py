"""The rule tables of the package, in files and in code, and the package without one of their rows."""

import ast
import gc
import importlib
import io
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import _lru_cache_wrapper, cache
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import kbe_graph
from kbe_graph.checks.path import PathCheck
from kbe_graph.checks.row import Row
from kbe_graph.english.parse import PLAIN
from kbe_graph.files import resources

ROOT = Path(kbe_graph.__file__).parent
ROOMS = ("english", "question", "senses", "facts", "extract", "wording", "checks")
LEAST = 4  # strings that make a table
# Of the world, not of the rules: facts and their names, irregular forms, what captions say most, the licences of
# sources, the figures that the paper gives, what a query may call.
DICTIONARIES = {
    "called.tsv",
    "guesses.tsv",
    "export/licences.tsv",
    "pack/aliases.tsv",
    "pack/review.tsv",
    "published.tsv",
    "reading.tsv",
    "shown.tsv",
    "wordnet/exceptions.tsv",
    "wordnet/plurals.tsv",
}
# What no table has a part in, and takes long to make.
KEPT = (
    "english.index",
    "english.wordnet",
    "english.spacy_model",
    "english.frequency",
    "english.parse",
    "english.verb",
    "facts.pack",
    "text",
    "plugins",
)
# What modules read once, and from which files; a list of words is in the patterns that name it as well.
LOADED = {
    "english.words": "english.txt",
    "english.number": "english.txt:unchanged",
    "english.kinds": "kinds.tsv",
    "question.patterns": "question/",
    "question.rewrites": "question/",
    "senses.usual": "seen.tsv",
    "facts.relation": "pack/",
    "checks.flaw": "slips.tsv",
    "checks.idle": "first_guesses.tsv",
    "checks.instruction": "instructions.tsv",
    "variants.rephrasing": "paraphrases.tsv",
}
# Modules whose constants are formats, settings or the figures of a network or a solver, and no rules.
NO_RULES = (
    *("english.vectors", "facts.wikidata", "facts.writing", "facts.verdict", "facts.pack", "facts.relation"),
    *("checks.assignment", "checks.row", "checks.thresholds", "checks.catalogue", "checks.registry", "checks.preset"),
)
# Of memories and batches; parts of a parser; how WordNet numbers its files; how each file of patterns, a table itself,
# is read; and what reasons are explained by, with its examples, which tests/checks/test_reasons.py holds.
APART = {"KEPT", "_KEPT", "_TOGETHER", "_UNUSED", "LEXNAMES", "TABLES", "OTHERS", "OPINIONS"}
NEVER = re.compile(r"(?!)")


class Table(NamedTuple):
    """A table: the module or file it stands in with its name there, and the keys of its rows."""

    place: str
    name: str
    rows: tuple[str, ...]

    @property
    def key(self) -> str:
        """What the cases call it."""
        return f"{self.place}:{self.name}"


def tables() -> tuple[Table, ...]:
    """Return all rule tables: word lists, tables in files, and the sets, mappings, sequences and patterns in code."""
    return (*_lists(), *_files(), *_constants())


# --- in files


def _lists() -> Iterator[Table]:
    for file in sorted(ROOT.joinpath("data").glob("*.txt")):
        words: dict[str, list[str]] = {}
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("["):
                name = line.strip("[]")
            elif line and not line.startswith("#"):
                words.setdefault(name, []).extend(line.split())
        yield from (Table(file.name, name, tuple(dict.fromkeys(rows))) for name, rows in words.items())


def _files() -> Iterator[Table]:
    for file in sorted(ROOT.joinpath("data").rglob("*.tsv")):
        place = file.relative_to(ROOT / "data").as_posix()
        if place not in DICTIONARIES:
            yield Table(place, "", tuple(_keys(file.read_text(encoding="utf-8"))))


@cache
def _keys(text: str) -> Mapping[str, int]:
    """Return the number of each row's line, by as many of its first fields as tell it from the others."""
    rows = [(at, tuple(line.split("\t"))) for at, line in enumerate(text.splitlines()) if not line.startswith("#")]
    starts = {at: [cells[:size] for size in range(1, len(cells) + 1)] for at, cells in rows[not text.startswith("#") :]}
    counts = Counter(start for own in starts.values() for start in own)
    return {" ".join(next((start for start in own if counts[start] == 1), own[-1])): at for at, own in starts.items()}


class _Overlay:
    """A packaged file with another text."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self._text = name, text

    def read_text(self, **_: object) -> str:
        return self._text

    def read_bytes(self) -> bytes:
        return self._text.encode()

    def open(self, mode: str = "r", **_: object) -> Any:
        return io.BytesIO(self.read_bytes()) if "b" in mode else io.StringIO(self._text)


class _FolderOverlay:
    """A packaged folder with one file overlaid."""

    def __init__(self, folder: Any, overlay: _Overlay) -> None:
        self._folder, self._overlay = folder, overlay

    def __truediv__(self, name: str) -> Any:
        return self._overlay if name == self._overlay.name else self._folder / name


def _overlaid(table: Table, row: str) -> Callable[[str], Any]:
    """Return what reads packaged data, without a row of one file."""
    folder, _, name = table.place.rpartition("/")
    overlay = _Overlay(name, _shortened(table, row))

    def data(asked: str) -> Any:
        if asked == table.place:
            return overlay
        return _FolderOverlay(_DATA(asked), overlay) if folder and asked == folder else _DATA(asked)

    return data


def _shortened(table: Table, row: str) -> str:
    text = ROOT.joinpath("data", table.place).read_text(encoding="utf-8")
    lines = text.splitlines()
    if not table.name:
        del lines[_keys(text)[row]]
    else:
        at = lines.index(f"[{table.name}]") + 1
        while at < len(lines) and not lines[at].startswith("["):
            if not lines[at].startswith("#"):
                lines[at] = " ".join(word for word in lines[at].split() if word != row)
            at += 1
    return "\n".join(lines) + "\n"


# --- in code


def _constants() -> Iterator[Table]:
    for room in ROOMS:
        for file in sorted(ROOT.joinpath(room).rglob("*.py")):
            place = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            for name in _assigned(place) if not place.startswith(NO_RULES) else ():
                rows = tuple(_rows(getattr(module(place), name)))
                if rows:
                    yield Table(place, name, rows)


def module(place: str) -> ModuleType:
    """Return the module at a place in the package."""
    return importlib.import_module(f"kbe_graph.{place}")


@cache
def tree(place: str) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(Path(str(module(place).__file__)).read_text(encoding="utf-8"))


def _targets(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Assign):
        return [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    if isinstance(node, ast.AnnAssign | ast.AugAssign) and isinstance(node.target, ast.Name) and node.value:
        return [node.target.id]
    return []


def _assigned(place: str) -> list[str]:
    names = dict.fromkeys(name for node in tree(place).body for name in _targets(node))
    return [name for name in names if not name.startswith("__") and name not in APART]


def _rows(value: object) -> Iterator[str]:
    """Give the keys of a constant's rows, nothing where it is no table."""
    if isinstance(value, re.Pattern):
        yield "the pattern"
    elif type(value) in (int, float):
        yield "the number"
    elif isinstance(value, Row):
        return  # the example of a check
    elif is_dataclass(value) and not isinstance(value, type):
        yield from (field.name for field in fields(value) if isinstance(getattr(value, field.name), float))
    elif isinstance(value, set | frozenset | tuple | list) and (len(_strings(value)) >= LEAST or _patterns(value)):
        yield from sorted(set(map(_text, value))) if isinstance(value, set | frozenset) else map(_text, value)
    elif isinstance(value, dict) and (len(_strings(value)) >= LEAST or _patterns(value.values())):
        for key, item in value.items():
            if isinstance(item, set | frozenset | tuple | list) and len(item) > 1 and not hasattr(item, "_fields"):
                yield from (f"{_text(key)}: {_text(one)}" for one in sorted(set(item), key=str))
            else:
                yield _text(key)


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for one in pair for text in _strings(one)]
    return (
        [text for one in value for text in _strings(one)] if isinstance(value, set | frozenset | tuple | list) else []
    )


def _patterns(value: Any) -> bool:
    flat = [two for one in value for two in (one if isinstance(one, tuple) else (one,))]
    return any(isinstance(one, re.Pattern) for one in flat)


def _text(value: object) -> str:
    if isinstance(value, re.Pattern):
        return value.pattern
    if isinstance(value, PathCheck):
        return value.name
    if isinstance(value, tuple):
        return " > ".join(map(_text, value))
    return str(value)


def _less(value: Any, row: str) -> Any:
    """Return a constant without one row."""
    if isinstance(value, re.Pattern):
        return NEVER
    if isinstance(value, int | float):
        return type(value)(0)
    if isinstance(value, dict):
        if any(_text(key) == row for key in value):
            return {key: item for key, item in value.items() if _text(key) != row}
        start, _, end = row.partition(": ")
        return {key: _less(item, end) if _text(key) == start else item for key, item in value.items()}
    return type(value)(item for item in value if _text(item) != row)


# --- without


@contextmanager
def without(table: Table, row: str) -> Iterator[None]:
    """Run the package without a row of a table."""
    undo: list[tuple[Any, str, object]] = []
    try:
        if table.place.endswith((".txt", ".tsv")):
            _rebind(resources, "data", _overlaid(table, row), undo)
        elif is_dataclass(value := getattr(module(table.place), table.name)):
            undo.append((value, row, getattr(value, row)))
            object.__setattr__(value, row, 0.0)
        else:
            place = module(table.place)
            _rebind(place, table.name, _less(getattr(place, table.name), row), undo)
        forget(table)
        yield
    finally:
        for place, name, old in reversed(undo):
            (setattr if isinstance(place, ModuleType) else object.__setattr__)(place, name, old)
        forget(table)


_DATA = resources.data


def _rebind(place: ModuleType, name: str, value: object, undo: list[tuple[Any, str, object]]) -> None:
    """Give a constant another value, here, where it is imported, and in what is made of it."""
    undo.append((place, name, getattr(place, name)))
    setattr(place, name, value)
    for other, alias in importers().get((place.__name__, name), ()):
        _rebind(sys.modules[other], alias, value, undo)
    for node in tree(place.__name__.removeprefix("kbe_graph.")).body:
        made = _targets(node)
        if made and name not in made and name in _used(node):
            code = compile(ast.Module([node], []), str(place.__file__), "exec")
            space = dict(vars(place))
            exec(code, space)  # noqa: S102 - the constant's own statement, run again
            for one in made:
                _rebind(place, one, space[one], undo)


def _used(node: ast.stmt) -> set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)}


@cache
def importers() -> Mapping[tuple[str, str], list[tuple[str, str]]]:
    """Return the modules that import a name from a module, and what they call it."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for loaded in [name for name in sys.modules if name.startswith("kbe_graph.")]:
        if not str(sys.modules[loaded].__file__).endswith(".py"):
            continue
        for node in tree(loaded.removeprefix("kbe_graph.")).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    found.setdefault((node.module, alias.name), []).append((loaded, alias.asname or alias.name))
    return found


def forget(table: Table) -> None:
    """Forget what was kept of earlier calls, save what the table has no part in."""
    if table.place.startswith("english"):
        PLAIN.__init__(lambda: None)  # type: ignore[misc] - it keeps what it has read
    for kept in _touched(table):
        kept.cache_clear()


@cache
def _touched(table: Table) -> Sequence[Any]:
    """Return the memories that a table has a part in."""
    return [kept for name, kept in _memories() if not _is_apart(name, kept, table)]


def _is_apart(name: str, kept: Any, table: Table) -> bool:
    if name in ("english.index", "english.wordnet"):
        return name != table.place
    if table.place.startswith(name) or (name.startswith("question.") and f"{{{table.name}}}" in _patterns_text()):
        return False
    if name.startswith(KEPT):
        return True
    loads = not signature(kept.__wrapped__).parameters or kept.__wrapped__.__name__ == "table"
    return loads and name in LOADED and not table.key.startswith(LOADED[name])


@cache
def _patterns_text() -> str:
    return "".join(file.read_text(encoding="utf-8") for file in ROOT.joinpath("data", "question").glob("*.tsv"))


@cache
def _memories() -> list[tuple[str, Any]]:
    gc.unfreeze()  # another test may have frozen what it imported, as the process does that workers are forked from
    found = [one for one in gc.get_objects() if isinstance(one, _lru_cache_wrapper)]
    own = [one for one in found if str(one.__wrapped__.__module__).startswith("kbe_graph.")]
    return [(one.__wrapped__.__module__.removeprefix("kbe_graph."), one) for one in own]
