"""Wikidata values in English: numbers with units, dates at their precision, and coordinates."""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from kbe_graph.english.inflect import is_plural, plural

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
_DAY, _MONTH, _YEAR, _DECADE, _CENTURY, _MILLENNIUM, _MILLION_YEARS = 11, 10, 9, 8, 7, 6, 3
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
        return f"{_day_and_month(month, day, precision)}{year}{bce or ' CE' * (year < _UNCLEAR_ALONE)}"
    if precision == _DECADE:
        return f"{year // 10 * 10}s{bce}"
    if precision in {_CENTURY, _MILLENNIUM}:
        span, name = (100, "century") if precision == _CENTURY else (1000, "millennium")
        return f"{_ordinal(-(-year // span))} {name}{bce}"
    if bce and precision <= _MILLION_YEARS and year >= _MILLION:
        return f"{number_text(str(Decimal(year) / _MILLION))} million years ago"
    return ""


def _day_and_month(month: int, day: int, precision: int) -> str:
    if precision < _MONTH or not 1 <= month <= len(_MONTHS):
        return ""
    name = _MONTHS[month - 1]
    return f"{day} {name} " if precision >= _DAY and day else f"{name} "


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
