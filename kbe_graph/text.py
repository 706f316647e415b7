"""Normal forms of names, which decide when two names are equal, and text that is safe to print."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from kbe_graph.errors import InputError

_ARTICLE = re.compile(r"^(?:a|an|the)\s+(?=\S)")
_NUMBER = re.compile(r"\d+")
_BREAK = re.compile(r"[\s_\-/]+")
_PUNCTUATION = re.compile(r"[^\w\s'&+.%$]|(?<!\d)\.|\.(?!\d)")
_POWER, _MIXED = re.compile("(?<=\\d)(?=[⁺⁻⁰¹²³⁴-⁹])"), re.compile("(?<=\\d)(?=[¼-¾⅐-⅞])")
_SIGNS = str.maketrans("−–⁄", "--/")
# letters without a decomposition
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})
# combining classes of marks that change the letter in scripts of Asia; others are accents
_OF_LETTER = frozenset([0, 7, 8, 9, *range(84, 133)])

_AMOUNT = re.compile(
    r"[=≈~]?\s*(?P<sign>[-+]?)\s*(?P<currency>[$€£¥]?)\s*(?P<digits>\d{1,3}(?:,\d{3})+|\d+|(?=\.\d))(?P<rest>\.\d+)?"
    r"(?:\s*[x×*]\s*10\s*\^\s*\(?(?P<power>[-+]?\d{1,3})\)?|e(?P<exponent>[-+]?\d{1,3}))?(?P<unit>[^\d<>≤≥≠=±+-]*)",
    re.IGNORECASE,
)
_PLAIN_UNITS = frozenset(["", "%", "percent", "per cent"])

# characters that control a terminal (cursor, title, direction): C0 and C1 without tab and newline, bidi marks
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
# characters that must not pass to or from a model, as text can hide in them: direction marks, invisible joiners, lone
# surrogates, tag characters and variation selectors; the joiners of letters and emoji stay
_HIDDEN = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
_MARKDOWN = re.compile(r"[\\`*_~\[\]|#]")
_READ = 60  # characters of a name in a message
_KEPT = 1 << 16  # a run folds the same names repeatedly; this many take about 10 MB


@lru_cache(_KEPT)
def fold(name: str) -> str:
    """Normalise a name: case, accents, articles, punctuation and spacing are ignored.

    >>> fold("The  Cowboy-Hat.")
    'cowboy hat'
    """
    plain, gap = (name.lower(), " ") if name.isascii() else (_plain(name), _gap_or_mark)
    plain = _PUNCTUATION.sub(gap, _BREAK.sub(" ", plain.replace("’", "'")))
    plain = " ".join(plain.split())
    return _ARTICLE.sub("", plain) or name.strip().casefold()


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", _HIDDEN.sub("", compatible(name))).casefold().translate(_LETTERS)
    kept = "".join(letter for letter in letters if unicodedata.combining(letter) in _OF_LETTER)
    return unicodedata.normalize("NFC", kept)


def _gap_or_mark(sign: re.Match[str]) -> str:
    is_mark = unicodedata.category(sign[0]) in {"Mn", "Mc"} and sign[0] != "\ufe0f"  # which asks for an emoji
    return sign[0] if is_mark else " "


def compatible(text: str) -> str:
    """Replace variants of characters with the plain ones; powers and fractions stay apart from the number before them.

    >>> compatible("１０²"), compatible("2½")
    ('10^2', '2 1/2')
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _POWER.sub("^", _MIXED.sub(" ", text))).translate(_SIGNS)


def visible(text: str) -> str:
    r"""Escape each control character in a text, so that a terminal does not interpret it.

    >>> print(visible("dog\x1b[2J"))
    dog\x1b[2J
    """
    return _CONTROL.sub(lambda sign: sign[0].encode("unicode_escape").decode(), text)


def markdown(text: str) -> str:
    r"""Escape a text for a line or a cell of Markdown, so that it reads as it is.

    >>> print(markdown("a|b <i> *c* [d](e)"))
    a\|b &lt;i> \*c\* \[d\](e)
    """
    return _MARKDOWN.sub(r"\\\g<0>", on_one_line(text)).replace("<", "&lt;")


def has_controls(text: str) -> bool:
    """Return True if a text contains a control character, including tab and newline."""
    return bool(_CONTROL.search(text)) or "\n" in text or "\t" in text


def name_fault(name: str) -> str:
    r"""Describe the fault of a user-supplied name, such as an invisible character; empty if there is none.

    >>> name_fault("first"), name_fault("\x1b[2J")
    ('', 'contains a line break or another control character; remove it')
    """
    if has_controls(name):
        return "contains a line break or another control character; remove it"
    return "contains an invisible character; remove it" if _HIDDEN.search(name) else ""


def check_name(kind: str, name: str) -> str:
    """Return a user-supplied name unchanged; raises InputError if it is invalid. ``kind`` is what it names."""
    if fault := name_fault(name):
        raise InputError(f"{kind} {name!r} {fault}")
    return name


def on_one_line(text: str, most: int = 1 << 20) -> str:
    r"""Put a text on one line of at most ``most`` characters, without control and hidden characters.

    >>> on_one_line("FOO\nNew triplet: \u202eBAR")
    'FOO New triplet: BAR'
    """
    if text.isascii() and text.isprintable() and "  " not in text and len(text) <= most:
        return text.strip()
    line = " ".join(_HIDDEN.sub("", _CONTROL.sub(_gap, text)).split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _gap(sign: re.Match[str]) -> str:
    return "" if sign[0] > "\u2029" else " "


def quoted(names: Iterable[str], most: int = 30) -> str:
    """List names in quotes for a message, shortened if they are too many or too long.

    >>> print(quoted(["id", "answer"]), "|", quoted(["a", "b", "c"], most=1))
    'id', 'answer' | 'a' and 2 more
    """
    whole = list(names)
    listed = ", ".join(repr(name if len(name) <= _READ else f"{name[:_READ]}...") for name in whole[:most])
    return f"{listed} and {len(whole) - most:,} more" if len(whole) > most else listed


def counted(numbers: Mapping[str, int]) -> str:
    """List numbers with what they count.

    >>> counted({"rejected": 2, "disputed": 1})
    '2 rejected, 1 disputed'
    """
    return ", ".join(f"{number} {name}" for name, number in numbers.items())


def in_order(id_: str) -> str:
    """Return the sort key of an id: numbers in it count as numbers, so that the rows of a table stay in order.

    >>> sorted(["t/all/10@r/1", "t/all/2@r/1", "t/all/1@r/1"], key=in_order)
    ['t/all/1@r/1', 't/all/2@r/1', 't/all/10@r/1']
    """
    return _NUMBER.sub(lambda number: f"{len(number[0]):03}{number[0]}", id_)


def id_number(id_: str) -> int:
    """Derive a stable number below 2 ** 48 from an id, for file formats that only take numbers.

    >>> id_number("okvqa/val/2971475@seed-0/1")
    34583280590983
    """
    return int.from_bytes(hashlib.sha256(id_.encode()).digest()[:6])


class Amount(NamedTuple):
    """A number, the sign of its currency, and its unit in lower case; the last two may be empty."""

    number: Decimal
    currency: str
    unit: str


def amount_in(text: str) -> Amount | None:
    """Return the amount that a text consists of; None for any other text. A percent sign is no unit.

    >>> amount_in("1,300 km"), amount_in("about 5")
    (Amount(number=Decimal('1300'), currency='', unit='km'), None)
    """
    match = _AMOUNT.fullmatch(compatible(text).strip())
    if match is None:
        return None
    power = match["power"] or match["exponent"] or 0
    number = Decimal(f"{match['sign']}{match['digits'].replace(',', '')}{match['rest'] or ''}e{power}")
    unit = match["unit"].replace(".", "").strip().casefold()
    return Amount(number, match["currency"], "" if unit in _PLAIN_UNITS else unit)


def number_in(text: str) -> Decimal | None:
    """Return the number that a text consists of, with or without a percent sign; None for any other text."""
    amount = amount_in(text)
    return amount.number if amount and not (amount.currency or amount.unit) else None
