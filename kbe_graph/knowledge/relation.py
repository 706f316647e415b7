"""The relations of a fact pack: what a relation is called, how it is worded, and what may be done with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from types import MappingProxyType

from kbe_graph.errors import DatasetError
from kbe_graph.knowledge.table import rows

COLUMNS = ("name", "phrases", "family", "functional", "inherit", "protected")
_FLAGS = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation: its readable name, and noun phrases with ``{}`` for the subject, the plainest first.

    ``functional`` says that a subject has one object; ``inherit`` that what holds of a kind holds of its kinds (the young
    of a dog is the young of a collie); ``protected`` that it tells of a person what must not be asked.
    """

    name: str
    phrases: tuple[str, ...]
    family: str
    functional: bool = True
    inherit: bool = False
    protected: bool = False


def read_relations(file: Traversable) -> Mapping[str, Relation]:
    """Return the relations of a table by name; raises DatasetError with file, line and field."""
    found: dict[str, Relation] = {}
    for line, row in rows(file, COLUMNS):
        name, text, family, *marks = row
        phrases = tuple(phrase.strip() for phrase in text.split("|"))
        if name in found:
            raise DatasetError(file.name, f"relation {name!r} is there twice; remove one", line=line)
        if any(phrase.count("{}") != 1 for phrase in phrases):
            raise DatasetError(file.name, f"'phrases' is {text!r}; each needs one {{}} for the subject", line=line)
        flags = [_flag(file, line, column, mark) for column, mark in zip(COLUMNS[3:], marks, strict=True)]
        found[name] = Relation(name, phrases, family, *flags)
    return MappingProxyType(found)


def _flag(file: Traversable, line: int, column: str, mark: str) -> bool:
    if mark not in _FLAGS:
        raise DatasetError(file.name, f"{column!r} is {mark!r}; write yes or no", line=line)
    return _FLAGS[mark]
