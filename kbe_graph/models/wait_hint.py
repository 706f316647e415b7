"""How long an answer asks to wait: its headers, or the words of its message."""

import math
import re
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

MOST = 10 * 365 * 86_400.0  # seconds: more is nonsense, and no date
EPOCH = 1_000_000_000.0  # a number above it is a time of day in seconds since 1970, or in milliseconds
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_PARTS = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)", re.IGNORECASE)
_WORDS = re.compile(
    r"(?:try again|retry(?:ing)?|wait)\D{0,20}?"
    r"((?:\d+(?:\.\d+)?\s*(?:ms|m(?:in\w*)?|s(?:ec\w*)?|h(?:ours?)?)(?![a-z])\s*)+)",
    re.IGNORECASE,
)
_RESETS = ("requests", "tokens")


def wait_hint(headers: Mapping[str, str], message: str = "") -> float | None:
    """Return the seconds that an answer asks to wait, None where it does not say or says nonsense.

    Read are ``Retry-After`` (seconds or a date) and its form in milliseconds, the words "try again in 4.0s", and of
    ``x-ratelimit-reset-...`` those whose limit is used up. A time of day is one of the clock that the answer's own
    ``Date`` was read from.
    """
    now = _time(headers.get("date")) or time.time()
    hints = (
        _number(headers.get("retry-after-ms"), 0.001),
        _number(headers.get("retry-after")),
        _date(headers.get("retry-after"), now),
        _words(message),
        _resets(headers, now),
    )
    return next((min(MOST, max(0.0, hint)) for hint in hints if hint is not None), None)


def time_after(seconds: float) -> str:
    """Return the time of day in so many seconds, with the date where that is not today."""
    now = datetime.now().astimezone()
    then = now + timedelta(seconds=min(seconds, MOST))
    return f"{then:%H:%M}" if then.date() == now.date() else f"{then:%Y-%m-%d %H:%M}"


def _number(text: str | None, unit: float = 1.0) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number * unit if math.isfinite(number) else None


def _date(text: str | None, now: float) -> float | None:
    then = _time(text)
    return None if then is None else then - now


def _time(text: str | None) -> float | None:
    """Return a date of a header in seconds since 1970."""
    try:
        return parsedate_to_datetime(text or "").timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _words(message: str) -> float | None:
    match = _WORDS.search(message[:2000])
    return _duration(match.group(1)) if match else None


def _duration(text: str) -> float | None:
    """Return the seconds of ``6m0s``, ``250ms`` or ``4.0s``."""
    parts = _PARTS.findall(text)
    return sum(float(number) * UNITS[unit.lower()] for number, unit in parts) if parts else None


def _resets(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds until the limits that are used up are reset; the shortest where none is said to be so."""
    resets: dict[str, float] = {}
    for name in _RESETS:
        text = headers.get(f"x-ratelimit-reset-{name}")
        if (seconds := _reset(text, now)) is not None:
            resets[name] = seconds
    used_up = [seconds for name, seconds in resets.items() if headers.get(f"x-ratelimit-remaining-{name}") == "0"]
    if used_up:
        return max(used_up)
    return min(resets.values()) if resets else _reset(headers.get("x-ratelimit-reset"), now)


def _reset(text: str | None, now: float) -> float | None:
    number = _number(text)
    if number is None:
        return _duration(text or "") or _iso(text, now)
    if number > 1000 * EPOCH:
        number /= 1000
    return number - now if number > EPOCH else number


def _iso(text: str | None, now: float) -> float | None:
    try:
        return datetime.fromisoformat(text or "").timestamp() - now
    except (ValueError, OverflowError):
        return None
