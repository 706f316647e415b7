"""The value of a statement as an answer: a name, a year or an amount; and the options that stand beside it."""

import json
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from kbe_graph.errors import NoCandidate
from kbe_graph.facts.wikidata.repeats import measured_units
from kbe_graph.facts.wikidata.rules import amount, year
from kbe_graph.forms.form_case import AnswerOption
from kbe_graph.text import fold
from kbe_graph.types import WikiItem, WikiStatement
from kbe_graph.wiki.distractor_pool import DistractorPool
from kbe_graph.wiki.number_options import amount_options, year_options

NO_ANSWER, NOT_METRIC = "a value that no answer can say", "a unit that is not metric"
HELD = 8  # amounts of a property from which on the largest is the largest that is likely
LONGEST, MOST_WORDS = 60, 7
_YEAR = re.compile(r"(?<![\d.,-])([1-9]\d{3})(?![\d.,]|s\b)")
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(?: (.+))?")
_ID = re.compile(r"[A-Z]\d+")
_BRACKET = re.compile(r"[()\[\]{}<>|;:]")


class ValueWords(NamedTuple):
    """A value as an answer, and its other right names."""

    answer: str
    aliases: tuple[str, ...] = ()


def value_words(statement: WikiStatement, pool: DistractorPool) -> ValueWords:
    """Return the value of a statement as an answer; raises NoCandidate for one that no answer can say.

    A time is its year, an amount has at most four digits, and a name is short and has no list or brackets in it.
    """
    text = statement.text.strip()
    if (
        statement.kind == "quantity"
        and statement.unit in measured_units()
        and not measured_units()[statement.unit].metric
    ):
        raise NoCandidate(NOT_METRIC, text)
    answer = {"time": year_of, "quantity": amount_of, "item": _name}.get(statement.kind, lambda _: "")(statement)
    if not answer:
        raise NoCandidate(NO_ANSWER, text)
    names = {fold(name): name for name in reversed((text, *pool.aliases(statement)))}
    names.pop(fold(answer), None)
    return ValueWords(answer, tuple(reversed(names.values())))


def year_of(statement: WikiStatement) -> str:
    """Return the year of a time, empty where it is not known to the year."""
    value = _raw(statement)
    if value:
        return year(str(value.get("time", "")), str(value.get("precision", "")))
    years = _YEAR.findall(statement.text)
    return years[0] if len(years) == 1 and "BCE" not in statement.text else ""


def amount_of(statement: WikiStatement) -> str:
    """Return an amount with its unit, empty where it is negative or has over four digits."""
    value = _raw(statement)
    return amount(str(value["amount"]), statement.unit or "1") if "amount" in value else statement.text


def _name(statement: WikiStatement) -> str:
    text = statement.text.strip()
    is_short = len(text) <= LONGEST and len(text.split()) <= MOST_WORDS
    is_list = fold(text).startswith(("list of", "category", "template", "unknown", "anonymous", "various", "none"))
    return text if is_short and text and not is_list and not _BRACKET.search(text) and not _ID.fullmatch(text) else ""


def _raw(statement: WikiStatement) -> dict[str, Any]:
    """Return the value as Wikidata has it, empty where there is none."""
    value = json.loads(statement.raw) if statement.raw else {}
    value = value.get("value", value) if isinstance(value, dict) else {}
    return value if isinstance(value, dict) else {}


class ItemFacts(NamedTuple):
    """An item with all its statements."""

    item: WikiItem
    statements: Sequence[WikiStatement]


def wrong_options(
    statement: WikiStatement, answer: str, facts: ItemFacts, pool: DistractorPool, text: str, *, latest: int, seed: str
) -> list[AnswerOption]:
    """Return sound wrong options for a question's answer, fewer than three where there are no more.

    Years and amounts are made by rule, ``latest`` the last year that may be one; all others are values of other items.
    """
    if statement.kind == "time":
        taken = {int(found) for each in facts.statements for found in _YEAR.findall(each.text)}
        return _options(year_options(int(answer), latest, taken - {int(answer)}, seed=seed))
    if statement.kind == "quantity":
        return _amounts(statement, answer, facts.statements, pool, seed)
    return pool.options(statement, facts.item, facts.statements, text, seed=seed)


def _options(names: Iterable[object]) -> list[AnswerOption]:
    return [AnswerOption(str(name)) for name in names]


def _amounts(
    statement: WikiStatement, answer: str, statements: Sequence[WikiStatement], pool: DistractorPool, seed: str
) -> list[AnswerOption]:
    match = _AMOUNT.fullmatch(answer)
    if not match:
        return []
    others = (_AMOUNT.fullmatch(each.text) for each in statements if each.id != statement.id)
    taken = {Decimal(other[1]) for other in others if other} - {Decimal(match[1])}
    unit = statement.unit or "1"
    held = [Decimal(other[1]) for name in pool.names(statement.property_id) if (other := _in_unit(name, match[2]))]
    largest = max(*held, Decimal(match[1])) if len(held) >= HELD else None
    made = amount_options(Decimal(match[1]), taken, seed=seed, largest=largest)
    return _options(name for each in made if (name := amount(f"{each:f}", unit)))


def _in_unit(name: str, unit: str | None) -> re.Match[str] | None:
    match = _AMOUNT.fullmatch(name)
    return match if match and match[2] == unit else None
