"""Values of Wikidata that are no items, as an answer says them: years, and amounts with their units."""

import re
from decimal import Decimal

from kbe_graph.english.inflect import plural

_YEAR = re.compile(r"\+?([1-9]\d{3})-\d\d-\d\dT")
_AMOUNT = re.compile(r"\+?(\d+(?:\.\d+)?)")
_TO_THE_YEAR = 9
_MOST_DIGITS = 4
_ONE = "1"


def year(time: str, precision: str) -> str:
    """Return the year of a time, empty where it is not known to the year, or lies before the year 1000.

    >>> year("1969-02-09T00:00:00Z", "11")
    '1969'
    """
    match = _YEAR.match(time)
    return match[1] if match and precision.isdecimal() and int(precision) >= _TO_THE_YEAR else ""


def amount(number: str, unit: str) -> str:
    """Return an amount with its unit's name (``1`` for none), empty where it is negative or has over four digits.

    >>> amount("+1300", "kilometre")
    '1300 kilometres'
    """
    match = _AMOUNT.fullmatch(number)
    text = f"{Decimal(match[1]).normalize():f}" if match else ""
    if not text or not unit or len(text.replace(".", "").strip("0")) > _MOST_DIGITS:
        return ""
    return text if unit == _ONE else f"{text} {unit if text == _ONE else units(unit)}"


def units(unit: str) -> str:
    """Return the plural of a unit's name: metres per second, degrees Celsius.

    >>> units("degree Celsius")
    'degrees Celsius'
    """
    first, per, rest = unit.partition(" per ")
    noun, _, name = first.rpartition(" ")
    counted = f"{plural(noun)} {name}" if noun and name[:1].isupper() else plural(first)
    return f"{counted}{per}{rest}"
