"""SPARQL terms written safely, and the query files with their places filled."""

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from string import Template

from kbe_graph.errors import InputError

ENTITY = "http://www.wikidata.org/entity/"
LANGUAGES = ("en", "mul")
_ITEM = re.compile(r"Q[1-9]\d*")
_PROPERTY = re.compile(r"P[1-9]\d*")
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"})


@cache
def query(name: str) -> Template:
    """Return the query of the file ``name``.rq without its comments, so that a better comment asks nothing anew."""
    text = files("kbe_graph.facts.wikidata").joinpath(f"{name}.rq").read_text(encoding="utf-8")
    return Template("\n".join(line for line in text.splitlines() if not line.startswith("#")))


def literal(text: str, language: str = "") -> str:
    """Return a string as a literal (SPARQL 1.1, section 19.8, STRING_LITERAL2): nothing in it can end it early."""
    return f'"{text.translate(_ESCAPES)}"' + (f"@{language}" if language else "")


def names(labels: Iterable[str]) -> str:
    """Return rows of a name and its literal in each language that counts."""
    return " ".join(f"({literal(name)} {literal(name, language)})" for name in labels for language in LANGUAGES)


def items(ids: Iterable[str]) -> str:
    """Return items (Q144) as terms; raises InputError for anything else."""
    return " ".join(f"wd:{_checked(item, _ITEM)}" for item in ids)


def properties(ids: Iterable[str]) -> str:
    """Return properties (P36) as the terms of a list; raises InputError for anything else."""
    return ", ".join(f"wd:{_checked(name, _PROPERTY)}" for name in ids)


def _checked(name: str, form: re.Pattern[str]) -> str:
    if not form.fullmatch(name):
        raise InputError(f"{name!r} is no id of Wikidata; items look like 'Q144', properties like 'P36'")
    return name


def item(uri: str) -> str:
    """Return the id of an item's address, empty for any other value."""
    name = uri.removeprefix(ENTITY)
    return name if uri.startswith(ENTITY) and _ITEM.fullmatch(name) else ""


def statement(uri: str) -> str:
    """Return a statement's id as Wikidata writes it (Q31$9B8A...) from its address."""
    return uri.removeprefix(f"{ENTITY}statement/").replace("-", "$", 1)
