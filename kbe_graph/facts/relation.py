"""Relations: a table with one row per relation, which holds its name, wording, questions and restrictions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Any, Literal, get_args

from kbe_graph.english.reference import Phrase, fits
from kbe_graph.english.words import kind
from kbe_graph.errors import DatasetError, InputError, NoCandidate
from kbe_graph.files.resources import columns_of, data, names_in, rows

FILE = "relations.tsv"
Opener = Literal["what is", "who is", "what do you call"]
AskedOf = Literal["", "kind", "place", "thing", "one", "living thing", "firm", "sport"]


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation; each field is a column of the table, and an empty cell means the default.

    ``name``: its readable name.
    ``phrases``: noun phrases with ``{}`` for the subject, the plainest first (the capital of {}).
    ``family``: a chain never has two relations of the same family.
    ``forms``: further questions with ``{}`` for the subject; ``(does)`` and ``(is)`` agree with the subject's number.
    ``opener``: the words that turn a noun phrase into a question.
    ``synonyms``: other words for it, in base forms, which identify it in a model's words.
    ``functional``: a subject has only one object.
    ``inherit``: a fact of a kind holds for its subkinds (the young of a dog is the young of a collie).
    ``protected``: it states a protected attribute of a person.
    ``asked_of``: how a question refers to the first answer: as a ``kind``, if one can be named; as a ``place``, by its
    level (the country, the city); as a ``thing`` that is made and not a place; as ``one``, not several; as a
    ``living thing``, not a product of one; as a ``firm`` (with words such as brand, company or team); or as a
    ``sport`` (with the words sport or game).
    ``subject``, ``object``: kinds allowed for its subject and object, by their names in ``kinds.tsv``.
    """

    name: str
    phrases: tuple[str, ...]
    family: str
    forms: tuple[str, ...] = ()
    opener: Opener = "what is"
    synonyms: tuple[str, ...] = ()
    functional: bool = True
    inherit: bool = False
    protected: bool = False
    asked_of: AskedOf = ""
    subject: tuple[str, ...] = ()
    object: tuple[str, ...] = ()


COLUMNS = tuple(field.name for field in fields(Relation))
_NEEDED = COLUMNS[:3]
_DEFAULT = Relation("", (), "")
_WORDS: Mapping[str, tuple[str, ...]] = {"opener": get_args(Opener), "asked_of": get_args(AskedOf)[1:]}
_FLAGS = {"yes": True, "no": False}


@cache
def relations() -> Mapping[str, Relation]:
    """Return the relations of the packaged table by name, read once; raises DatasetError."""
    return read_relations(data("pack") / FILE)


def read_relations(
    file: Traversable, base: Mapping[str, Relation] = MappingProxyType({}), *, key: str = "name"
) -> Mapping[str, Relation]:
    """Read a table of relations, by name or by an additional column ``key``.

    Missing columns are taken from ``base`` if it has the relation, otherwise from the defaults. Raises DatasetError
    with file, line and field.
    """
    columns = _columns(file, key)
    table: dict[str, Relation] = {}
    for line, cells in rows(file, columns):
        row = dict(zip(columns, cells, strict=True))
        if row[key] in table:
            raise DatasetError(file.name, f"relation {row[key]!r} occurs twice; remove one", line=line)
        try:
            table[row[key]] = _relation(row, base)
        except InputError as problem:
            raise DatasetError(file.name, str(problem), line=line) from None
    return MappingProxyType(table)


def _columns(file: Traversable, key: str) -> tuple[str, ...]:
    columns = columns_of(file)
    missing = [name for name in dict.fromkeys((key, *_NEEDED)) if name not in columns]
    other = [name for name in columns if name not in {key, *COLUMNS}]
    if missing or other or len(set(columns)) < len(columns):
        problem = f"the columns are {list(columns)!r}; they must be {list(_NEEDED)!r} and any of {list(COLUMNS[3:])!r}"
        raise DatasetError(file.name, problem, line=1)
    return columns


def _relation(row: Mapping[str, str], base: Mapping[str, Relation]) -> Relation:
    values: dict[str, Any] = {name: _value(name, row[name]) for name in COLUMNS if name in row}
    for name in (*values.get("subject", ()), *values.get("object", ())):
        kind(name)
    return replace(base.get(row["name"], _DEFAULT), **values)


def _value(column: str, cell: str) -> str | bool | tuple[str, ...]:
    default: str | bool | tuple[str, ...] = getattr(_DEFAULT, column)
    if not cell and column not in _NEEDED:
        return default
    if isinstance(default, tuple):
        texts = names_in(cell)
        if column in {"phrases", "forms"} and (not texts or any(text.count("{}") != 1 for text in texts)):
            raise InputError(f"{column!r} is {cell!r}; each needs one {{}} for the subject")
        return texts
    allowed = tuple(_FLAGS) if isinstance(default, bool) else _WORDS.get(column, ())
    if allowed and cell not in allowed:
        raise InputError(f"{column!r} is {cell!r}; write {' or '.join(map(repr, allowed))}")
    if not cell:
        raise InputError(f"{column!r} is empty; each relation needs one")
    return _FLAGS[cell] if isinstance(default, bool) else cell


# A relation of another source can be worded as "the R of" only if its name is a noun, without a verb or a final
# preposition.
_NO_NOUN = re.compile(
    r"\b(?:by|of|in|to|from|with|at|on|for|as|after|before|during|against)$"
    r"|^(?:is|named|has|was|are|located|used|made|found|said|part|instance)\b|ing$"
)


def relation_of(relations: Mapping[str, Relation], name: str) -> Relation:
    """Get a pack's relation, or build one for another source's; it has no phrases unless its name is a noun."""
    if name in relations:
        return relations[name]
    phrases = () if _NO_NOUN.search(name) else (f"the {name} of {{}}",)
    return Relation(name, phrases, family="", asked_of="one" if name.startswith("number of ") else "")


def question_of(relation: Relation, phrase: Phrase) -> str:
    """Turn a relation's noun phrase into a question; empty if the phrase is a clause."""
    if phrase.text.startswith(("what ", "where ", "who ")):
        return ""
    opener: str = relation.opener
    if opener == "what is" and phrase.text.startswith("the person "):
        opener = "who is"
    if opener == "who is" and " name of " in phrase.text:
        opener = "what is"
    if opener == "what do you call" and phrase.text.startswith("the name for "):
        opener = "what is"
    return f"{opener.replace(' is', ' are') if phrase.plural else opener} {phrase.text}"


def phrases_for(relation: Relation, subject: Phrase) -> tuple[str, ...]:
    """List the relation's noun phrases that fit a subject. Raises NoCandidate for a relation without phrases."""
    if not relation.phrases:
        raise NoCandidate("no phrase for the relation", repr(relation.name))
    return tuple(form for form in relation.phrases if fits(form, subject))
