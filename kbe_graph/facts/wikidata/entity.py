"""Parsing of Wikidata entities, from the Action API, Special:EntityData or a dump, to items and statements."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

from kbe_graph.english.inflect import is_plural, plural
from kbe_graph.errors import DatasetError
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
    """Build the item of an entity; raises DatasetError.

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
        aliases=tuple(on_one_line(str(_object(name).get("value", ""))) for name in names),
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
    """Parse all statements of an entity, by property number, then in their given order; raises DatasetError.

    ``labels`` has the labels of properties, items and units.
    """
    claims = _claims(entity)
    return tuple(
        _statement(str(entity["id"]), claim, best, labels, language)
        for name in sorted(claims, key=_number)
        for claim, best in _ranked(claims[name])
    )


def named_ids(entity: EntityJson) -> frozenset[str]:
    """Return the ids of the properties, values and units in an entity's statements, whose labels are needed.

    Raises DatasetError.
    """
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
    snak = claim["mainsnak"]
    name, value = _text(snak, "property"), _read_value(snak, labels, language)
    raw = _value(snak)
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
        rank=claim.get("rank", "normal"),
        best=best,
        current=_is_current(claim),
    )


_NO_VALUE: Mapping[str, ValueKind] = {"somevalue": "unknown", "novalue": "none"}


def _read_value(snak: EntityJson, labels: Mapping[str, str], language: str) -> _Value:
    no_value, raw = _NO_VALUE.get(_text(snak, "snaktype")), _value(snak)
    if no_value or isinstance(raw, str):
        return _Value(no_value or ("media" if _text(snak, "datatype") in _MEDIA else "text"), text=str(raw or ""))
    value = _object(raw)
    match _text(_object(snak.get("datavalue")), "type"):
        case "wikibase-entityid":
            target = _target(value)
            made = _Value("item" if target[:1] == "Q" else "other", target, labels.get(target, ""))
        case "quantity":
            unit = _unit_id(value)
            name = ONE if unit in NO_UNIT else labels.get(unit, "")
            made = _Value("quantity", text=quantity_text(_text(value, "amount"), name), unit=name)
        case "time":
            precision = value.get("precision")
            text = time_text(_text(value, "time"), precision) if isinstance(precision, int) else ""
            made = _Value("time", text=text)
        case "globecoordinate":
            made = _Value("coordinate", text=coordinate_text(value))
        case "monolingualtext" | "string":
            is_spoken = value.get("language") in language_chain(language)
            made = _Value("text", text=_text(value, "text") if is_spoken else "")
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


def _ranked(claims: Iterable[EntityJson]) -> Iterator[tuple[EntityJson, bool]]:
    """Yield claims, each with whether no other has a better rank."""
    ranked = list(claims)
    best = "preferred" if any(claim.get("rank") == "preferred" for claim in ranked) else "normal"
    yield from ((claim, claim.get("rank", "normal") == best) for claim in ranked)


def _is_current(claim: EntityJson) -> bool:
    qualifiers = _object(claim.get("qualifiers"))
    limits = chain.from_iterable(qualifiers.get(name, ()) for name in LIMITS)
    return all(_text(_object(snak), "snaktype") == "novalue" for snak in limits)


def _claims(entity: EntityJson) -> Mapping[str, tuple[EntityJson, ...]]:
    by_property: dict[str, tuple[EntityJson, ...]] = {}
    for name, claims in _object(entity.get("claims")).items():
        by_property[name] = tuple(claims if isinstance(claims, list) else (claims,))
        for claim in by_property[name]:
            problem = f"{name!r} holds {str(claim)[:60]!r}, which is not a statement; fetch the entity again"
            if not isinstance(claim, Mapping) or not isinstance(claim.get("mainsnak"), Mapping):
                raise DatasetError(f"entity {entity.get('id')}", problem)
            if claim.get("rank", "normal") not in get_args(Rank):
                raise DatasetError(f"entity {entity.get('id')}", problem)
    return by_property


def _in_language(texts: object, language: str) -> str:
    by_language = _object(texts)
    rows = (_object(by_language.get(code)) for code in language_chain(language))
    return next((on_one_line(str(row["value"])) for row in rows if row.get("value")), "")


def _text(values: EntityJson, key: str) -> str:
    return str(values.get(key, ""))


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _number(name: str) -> tuple[int, str]:
    return (int(name[1:]) if _ID.fullmatch(name) else 0), name


ONE = "1"
"""The unit of a quantity that has none."""
NO_UNIT = frozenset({ONE, "Q199"})

_ALIKE = "baht hertz lux mille old percent rand renminbi ringgit siemens sterling torr won yen yuan"
_SAME_IN_PLURAL = frozenset(_ALIKE.split())
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
    counted = f"{plural(noun)} {name}" if noun and name[:1].isupper() else _plural(first)
    return f"{counted}{rest}"


def _plural(unit: str) -> str:
    counted = plural(unit)
    return f"{unit}s" if counted == unit and unit.isalpha() and unit.islower() and not is_plural(unit) else counted


_MOST_DIGITS = 6
_PLAIN = 15


def number_text(amount: str) -> str:
    """Format a number in plain digits; empty if it is not a number.

    A fraction is rounded to six significant digits; whole numbers are not rounded. More than fifteen digits are written
    as a power of ten.

    >>> [number_text(amount) for amount in ("+1300", "-277.0", "+3.39467605", "+880000000000000000000000")]
    ['1300', '-277', '3.39468', '8.8 x 10^23']
    """
    try:
        number = Decimal(amount)
    except InvalidOperation:
        return ""
    if not number.is_finite():
        return ""
    decimals = _MOST_DIGITS - 1 - number.adjusted() if number else 0
    if number != number.to_integral_value() and decimals < _PLAIN:
        number = round(number, max(decimals, 0))
    if number and not -_PLAIN < number.adjusted() < _PLAIN:
        return f"{_digits(number.scaleb(-number.adjusted()))} x 10^{number.adjusted()}"
    return _digits(number)


def _digits(number: Decimal) -> str:
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def quantity_text(amount: str, unit: str) -> str:
    """Format an amount with its unit (``1`` for none); empty if the unit has no name.

    >>> quantity_text("+1300", "kilometre"), quantity_text("-5", "degree Celsius"), quantity_text("+12", "1")
    ('1300 kilometres', '-5 degrees Celsius', '12')
    """
    number = number_text(amount)
    if not number or not unit or unit == ONE:
        return number if unit else ""
    return f"{number} {unit if number in {'1', '-1'} else units(unit)}"


_TIME = re.compile(r"([+-]?)(\d+)-(\d\d)-(\d\d)T")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAY, _MONTH, _YEAR, _DECADE, _MILLION_YEARS = 11, 10, 9, 8, 3
_SPANS = {7: (100, "century"), 6: (1000, "millennium")}
_MILLION = 1_000_000
_UNCLEAR_ALONE = 100


def time_text(time: str, precision: int) -> str:
    """Format a time at its precision (11 day, 9 year, 7 century, 3 million years); empty if it cannot be worded.

    The date is given as the entity writes it, in its own calendar (Julian for old dates); Wikibase converts dates to
    the Gregorian calendar only for the query service. A month or day of 00 is unknown.

    >>> time_text("+1890-03-04T00:00:00Z", 11), time_text("+1890-00-00T00:00:00Z", 8)
    ('4 March 1890', '1890s')
    >>> time_text("-0044-03-15T00:00:00Z", 11), time_text("-13798000000-00-00T00:00:00Z", 3)
    ('15 March 44 BCE', '13798 million years ago')
    """
    match = _TIME.match(time)
    if match is None or not int(match[2]):
        return ""
    year, month, day = int(match[2]), int(match[3]), int(match[4])
    bce = " BCE" if match[1] == "-" else ""
    if precision >= _YEAR:
        named = _MONTHS[month - 1] if precision >= _MONTH and 1 <= month <= len(_MONTHS) else ""
        date = f"{day} {named}" if named and precision >= _DAY and day else named
        return f"{date} {year}{bce or ' CE' * (year < _UNCLEAR_ALONE)}".lstrip()
    if precision == _DECADE:
        return f"{year // 10 * 10}s{bce}"
    if precision in _SPANS:
        years, name = _SPANS[precision]
        return f"{_ordinal(-(-year // years))} {name}{bce}"
    if bce and precision <= _MILLION_YEARS and year >= _MILLION:
        return f"{number_text(str(Decimal(year) / _MILLION))} million years ago"
    return ""


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


_EARTH = "Q2"
_PLACES = 4


def coordinate_text(value: Mapping[str, Any]) -> str:
    """Format a place on Earth as latitude and longitude in degrees; empty for other globes and invalid values.

    >>> coordinate_text({"latitude": 56.0004, "longitude": -3.3888, "globe": "http://www.wikidata.org/entity/Q2"})
    '56.0004 N, 3.3888 W'
    """
    latitude, longitude = value.get("latitude"), value.get("longitude")
    globe = str(value.get("globe") or _EARTH).rpartition("/")[2]
    if globe != _EARTH or not isinstance(latitude, int | float) or not isinstance(longitude, int | float):
        return ""
    return f"{_degrees(latitude, 'N', 'S')}, {_degrees(longitude, 'E', 'W')}"


def _degrees(angle: float, positive: str, negative: str) -> str:
    size = round(abs(angle), _PLACES)
    return f"{size:.{_PLACES}f}".rstrip("0").rstrip(".") + f" {negative if angle < 0 and size else positive}"


def language_chain(language: str) -> tuple[str, ...]:
    """Return the languages whose labels can be used for a language, best first: itself, multilingual, its variants."""
    variants = {"en": ("en-gb", "en-us", "en-ca", "en-simple")}
    return (language, "mul", *variants.get(language, ()))
