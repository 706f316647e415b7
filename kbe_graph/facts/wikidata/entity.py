"""Parsing of Wikidata entities, from the Action API, Special:EntityData or a dump, to items and statements."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, DecimalException
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

from kbe_graph.english.inflect import is_plural, plural
from kbe_graph.text import on_one_line
from kbe_graph.types import WikiItem, WikiStatement
from kbe_graph.types.wiki import Rank, ValueKind

EntityJson = Mapping[str, Any]
"""An entity as JSON: ``id``, ``labels``, ``descriptions``, ``aliases``, ``claims``, ``sitelinks``."""

LIMITS = ("P582", "P518", "P585")
"""Qualifiers that end or restrict a statement: end time, applies to part, point in time."""
INSTANCE_OF = "P31"

_NO_LABELS: Mapping[str, str] = MappingProxyType({})
_ID = re.compile(r"[QP][1-9]\d*")
_MEDIA = {"commonsMedia", "localMedia"}


def read_item(
    entity: EntityJson,
    labels: Mapping[str, str] = _NO_LABELS,
    *,
    language: str = "en",
    source: str = "",
    fetched: str = "",
) -> WikiItem:
    """Build the item of an entity; raises AttributeError, LookupError, TypeError or ValueError for an odd one.

    ``labels`` has the labels of the items that it is an instance of.
    """
    aliases = _object(entity.get("aliases"))
    names = [*aliases.get(language, ()), *aliases.get("mul", ())]
    held = [claim for claim, best in _ranked(_claims(entity).get(INSTANCE_OF, ())) if best and _is_current(claim)]
    kinds = tuple(filter(None, dict.fromkeys(_target(_value(claim["mainsnak"])) for claim in held)))
    return WikiItem(
        id=str(entity["id"]),
        label=english_label(entity, language=language),
        description=_in_language(entity.get("descriptions"), language),
        aliases=tuple(on_one_line(str(name["value"])) for name in names),
        kinds=kinds,
        kind_labels=tuple(labels.get(kind, "") for kind in kinds),
        sitelinks=len(_object(entity.get("sitelinks"))),
        revision=str(entity.get("lastrevid", "")),
        modified=str(entity.get("modified", "")),
        source=source,
        fetched=fetched,
    )


def english_label(entity: EntityJson, *, language: str = "en") -> str:
    """Return an entity's label in a language, or in one that can replace it (mul, en-gb); empty if there is none."""
    return _in_language(entity.get("labels"), language)


def read_statements(
    entity: EntityJson, labels: Mapping[str, str] = _NO_LABELS, *, language: str = "en"
) -> tuple[WikiStatement, ...]:
    """Parse all statements of an entity, by property number, then in their given order; raises as ``read_item`` does.

    ``labels`` has the labels of properties, items and units.
    """
    claims = _claims(entity)
    return tuple(
        _statement(str(entity["id"]), claim, best, labels, language)
        for name in sorted(claims, key=lambda name: (len(name), name))
        for claim, best in _ranked(claims[name])
    )


def named_ids(entity: EntityJson) -> frozenset[str]:
    """Return the ids of the properties, values and units in an entity's statements, whose labels are needed."""
    names = set[str]()
    for snak in (claim["mainsnak"] for claims in _claims(entity).values() for claim in claims):
        names |= {_text(snak, "property"), _target(_value(snak)), _unit_id(_value(snak))}
    return frozenset(name for name in names if _ID.fullmatch(name)) - NO_UNIT


class _Value(NamedTuple):
    """A value in words: its kind, the item if it is one, its text, and its unit."""

    kind: ValueKind
    target: str = ""
    text: str = ""
    unit: str = ""


def _statement(item: str, claim: EntityJson, best: bool, labels: Mapping[str, str], language: str) -> WikiStatement:
    snak, rank = claim["mainsnak"], claim.get("rank", "normal")
    if rank not in get_args(Rank):
        raise ValueError(f"rank {rank!r}")
    name, raw, value = _text(snak, "property"), _value(snak), _read_value(snak, labels, language)
    return WikiStatement(
        id=_text(claim, "id"),
        item=item,
        property_id=name,
        relation=labels.get(name, ""),
        datatype=_text(snak, "datatype"),
        kind=value.kind,
        target=value.target,
        text=on_one_line(value.text),
        raw="" if raw is None else json.dumps(raw, ensure_ascii=False, sort_keys=True, separators=(",", ":")),
        unit=value.unit,
        rank=rank,
        best=best,
        current=_is_current(claim),
    )


def _read_value(snak: EntityJson, labels: Mapping[str, str], language: str) -> _Value:
    match (_text(snak, "snaktype"), _object(snak.get("datavalue"))):
        case ("somevalue", _):
            made = _Value("unknown")
        case ("novalue", _):
            made = _Value("none")
        case (_, {"value": str(text)}):
            made = _Value("media" if _text(snak, "datatype") in _MEDIA else "text", text=text)
        case (_, {"type": "wikibase-entityid", "value": thing}):
            target = _target(thing)
            made = _Value("item" if target[:1] == "Q" else "other", target, labels.get(target, ""))
        case (_, {"type": "quantity", "value": {"amount": amount, "unit": unit}}):
            id_ = str(unit).rpartition("/")[2]
            name = ONE if id_ in NO_UNIT else labels.get(id_, "")
            made = _Value("quantity", text=quantity_text(str(amount), name), unit=name)
        case (_, {"type": "time", "value": {"time": time, "precision": int(precision)}}):
            made = _Value("time", text=time_text(str(time), precision))
        case (_, {"type": "globecoordinate"}):
            made = _Value("coordinate")
        case (_, {"type": "monolingualtext", "value": {"text": text, "language": code}}):
            made = _Value("text", text=str(text) if code in language_chain(language) else "")
        case _:
            made = _Value("other")
    return made


def _value(snak: EntityJson) -> Any:
    return _object(snak.get("datavalue")).get("value")


def _target(value: object) -> str:
    name = _object(value).get("id")
    return name if isinstance(name, str) and _ID.fullmatch(name) else ""


def _unit_id(value: object) -> str:
    quantity = _object(value)
    return str(quantity.get("unit", ONE)).rpartition("/")[2] if "amount" in quantity else ""


def _ranked(claims: Sequence[EntityJson]) -> Iterator[tuple[EntityJson, bool]]:
    """Yield claims, each with whether no other has a better rank."""
    best = "preferred" if any(claim.get("rank") == "preferred" for claim in claims) else "normal"
    yield from ((claim, claim.get("rank", "normal") == best) for claim in claims)


def _is_current(claim: EntityJson) -> bool:
    qualifiers = _object(claim.get("qualifiers"))
    limits = chain.from_iterable(qualifiers.get(name, ()) for name in LIMITS)
    return all(_text(snak, "snaktype") == "novalue" for snak in limits)


def _claims(entity: EntityJson) -> Mapping[str, Sequence[EntityJson]]:
    return _object(entity.get("claims"))


def _in_language(texts: object, language: str) -> str:
    by_language = _object(texts)
    rows = (_object(by_language.get(code)) for code in language_chain(language))
    return next((on_one_line(str(row["value"])) for row in rows if row.get("value")), "")


def _text(values: EntityJson, key: str) -> str:
    return str(values.get(key, ""))


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


ONE = "1"
"""The unit of a quantity that has none."""
NO_UNIT = frozenset({ONE, "Q199"})

_SAME_IN_PLURAL = frozenset(
    {
        *("baht", "hertz", "lux", "mille", "old", "percent", "rand", "renminbi", "ringgit", "siemens", "sterling"),
        *("torr", "won", "yen", "yuan"),
    }
)
_OF_RATE = re.compile(r"(.+?)( (?:per|of) .+|)$")
_MIXED_CASE = re.compile(r"[a-z]+[A-Z]")


def units(unit: str) -> str:
    """Return the plural of a unit's name: metres per second, degrees Celsius.

    >>> [units(unit) for unit in ("degree Celsius", "inch of mercury", "torr")]
    ['degrees Celsius', 'inches of mercury', 'torr']
    """
    match = _OF_RATE.match(unit)
    if match is None or unit.rpartition(" ")[2].lower() in _SAME_IN_PLURAL or _MIXED_CASE.match(unit):
        return unit
    first, rest = match.groups()
    noun, _, name = first.rpartition(" ")
    if noun and name[:1].isupper():
        return f"{plural(noun)} {name}{rest}"
    counted = plural(first)
    if counted == first and first.isalpha() and first.islower() and not is_plural(first):
        counted = f"{first}s"
    return f"{counted}{rest}"


_MOST_DIGITS = 28


def number_text(amount: str) -> str:
    """Format a number in plain digits; empty if it is not a number.

    >>> [number_text(amount) for amount in ("+1300", "-277.0", "+1.2E+3", "many")]
    ['1300', '-277', '1200', '']
    """
    try:
        number = Decimal(amount) + 0  # without the sign of a zero
    except DecimalException:
        return ""
    return f"{number.normalize():f}" if number.is_finite() and abs(number.adjusted()) < _MOST_DIGITS else ""


def quantity_text(amount: str, unit: str) -> str:
    """Format an amount with its unit (``1`` for none); empty if the unit has no name.

    >>> quantity_text("+1300", "kilometre"), quantity_text("-5", "degree Celsius"), quantity_text("+12", "1")
    ('1300 kilometres', '-5 degrees Celsius', '12')
    """
    number = number_text(amount)
    if not number or not unit or unit == ONE:
        return number if unit else ""
    return f"{number} {unit if number in {'1', '-1'} else units(unit)}"


_TIME = re.compile(r"([+-]?)0*([1-9]\d*)-(\d\d)-(\d\d)T")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAY, _MONTH, _YEAR = 11, 10, 9


def time_text(time: str, precision: int) -> str:
    """Format a time at its precision (11 day, 10 month, 9 year); empty if it is less precise.

    The date is given as the entity writes it, in its own calendar (Julian for old dates); Wikibase converts dates to
    the Gregorian calendar only for the query service. A month or day of 00 is unknown.

    >>> time_text("+1890-03-04T00:00:00Z", 11), time_text("-0044-03-15T00:00:00Z", 10)
    ('4 March 1890', 'March 44 BCE')
    """
    match = _TIME.match(time)
    if match is None or precision < _YEAR:
        return ""
    month, day = int(match[3]), int(match[4])
    named = _MONTHS[month - 1] if precision >= _MONTH and 1 <= month <= len(_MONTHS) else ""
    date = f"{day} {named}" if named and precision >= _DAY and day else named
    return f"{date} {match[2]}{' BCE' if match[1] == '-' else ''}".lstrip()


def language_chain(language: str) -> tuple[str, ...]:
    """Return the languages whose labels can be used for a language, best first: itself, multilingual, its variants."""
    variants = {"en": ("en-gb", "en-us", "en-ca", "en-simple")}
    return (language, "mul", *variants.get(language, ()))
