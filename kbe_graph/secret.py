"""Finds keys and passwords, and hides them before anything is kept, printed or raised."""

import base64
import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote

from kbe_graph.errors import ConfigError

HIDDEN = "[key]"
SHORTEST = 6  # characters of a secret
LONGEST_NUMBER, LONGEST_WORDS = 15, 19  # digits of a number, characters of words that are none
LEAST_HEAD = 12  # characters that a secret which was cut is known by
OURS = ("KBE_", "OPENAI_", "NEO4J_")  # what our variables begin with
ADDRESSES = ("base_url", "uri", "endpoint")  # settings that are one
_NAMES = (
    r"(?<!cache[_-])key|token(?!s|i)|secret|passw|passphrase|auth(?!ors?(?![a-z]))|credential|cookie|session|signature"
    r"|headers\."
)
_TELLING = re.compile(_NAMES, re.IGNORECASE)
_RANDOM = re.compile(r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_WORDS = re.compile(r"[A-Za-z]+(?:[ ._-]+[A-Za-z]+)*[ ._-]*")
_LOGIN = re.compile(r"((?:[a-z][a-z0-9+.-]*:)?//)?(.*)@", re.IGNORECASE | re.DOTALL)
_IN_QUERY = re.compile(rf"([?&;#][^=&;#]*(?:{_NAMES})[^=&;#]*=)[^&;#]*", re.IGNORECASE)
_BLANKS = b" \t\n\r\v\f\0"
_GAP = rb"(?>[\s\0]{0,99}(?:\\{1,4}[nrt][\s\0]{0,99}){0,8})"  # between two letters: lines that are broken, and UTF-16
_LINE_END = re.compile(rb"\\{1,4}[nrt]")
_ESCAPES = rb"%[0-9a-f]{2}|\\[ux][0-9a-f]|&(?:#|amp;|lt;|gt;|quot;)"
_SAFE = bytes.maketrans(b"+/", b"-_")  # base64 in URLs
Text = TypeVar("Text", str, bytes)


class Secrets:
    r"""Keys and passwords, each of which becomes ``[key]`` wherever it stands in a text.

    A secret is found in any case of its letters A to Z; with white space, line ends or NULs among them (a broken line,
    UTF-16); with letters escaped as in JSON, a URL or HTML, twice too; in base64, alone or within more, such as
    ``Basic``; in hexadecimal; and where it was cut, from its first half on. It is not found where it was turned round,
    hashed, compressed, encrypted, or put together from its letters in another way.

    A value shorter than six characters, one of English words that is shorter than twenty (``none``, ``not-needed``) and
    a number of less than 16 digits is no secret: programs that need no key are given such, and any reply may hold them.
    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values = frozenset(value for value in values if is_secret(value))

    def __repr__(self) -> str:
        return f"<{len(self._values)} secrets>"

    def __or__(self, other: "Secrets") -> "Secrets":
        return Secrets(self._values | other._values)

    def hide(self, text: Text) -> Text:
        """Return a text without them."""
        if not self._values:
            return text
        if isinstance(text, bytes):
            forms = _forms_of(self._values)
            return forms.pattern.sub(HIDDEN.encode(), text) if forms.may_stand_in(text) else text
        return self.hide(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def is_secret(value: str) -> bool:
    """Return True if a key or a password must not be shown; see ``Secrets`` for those that may."""
    from kbe_graph.english.words import frequency  # its words are read for a value that may be one alone

    if len(value) < SHORTEST or (value.isdecimal() and len(value) <= LONGEST_NUMBER):
        return False
    is_words = len(value) <= LONGEST_WORDS and _WORDS.fullmatch(value)
    return not (is_words and frequency(re.sub(r"[._-]", " ", value)))


def is_telling(name: str) -> bool:
    """Return True if the value of this name (a setting, a header, a parameter) is a key or a password."""
    return bool(_TELLING.search(name))


def secrets_in(values: Mapping[str, Any]) -> Iterator[str]:
    """Give the secrets in settings, such as headers: values of a telling name, and those drawn at random.

    Of ``Bearer KEY`` and ``a=KEY; b=KEY`` each part is one, and of ``Basic ...`` the password too.
    """
    for name, text in _texts(values):
        parts = [text, *re.split(r"[\s;,=]+", text), *_of_basic(text)]
        yield from (part for part in parts if is_telling(name) or _RANDOM.search(part))


def named_secrets(values: Mapping[str, Any]) -> list[str]:
    """Return the names of the settings that are secret by their name."""
    return [name for name, text in _texts(values) if is_telling(name) and is_secret(text)]


def _texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Give each text in a setting, with the names that lead to it."""
    if isinstance(value, Mapping):
        for inner in value:
            yield from _texts(value[inner], f"{name}.{inner}" if name else str(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner, name)
    elif isinstance(value, str):
        yield name, value


def _of_basic(value: str) -> list[str]:
    """Return user and password of ``Basic ...``, nothing of another value."""
    kind, _, login = value.partition(" ")
    try:
        return base64.b64decode(login).decode().split(":", 1) if kind.lower() == "basic" else []
    except ValueError:
        return []


def login_secrets(addresses: Iterable[str]) -> Iterator[str]:
    """Give the passwords in addresses: the part before ``@``."""
    for address in addresses:
        if login := _LOGIN.match(address):
            yield unquote(login[2].partition(":")[2] or login[2])


def bare_address(address: str) -> str:
    """Return an address as it may be shown, with ``***`` for a login and for parameters that are keys."""
    return _IN_QUERY.sub(r"\1***", _LOGIN.sub(r"\1***@", address, count=1))


def shown_setting(name: str, text: str) -> str:
    """Return the value of a setting as it may be shown: of a secret only that it is set, or which variable holds it."""
    if "://" in text or name.rpartition(".")[2].removeprefix("judge_") in ADDRESSES:
        return bare_address(text)
    is_variable = text[:1] == "$" and text[1:].isidentifier()
    return "(set)" if text and is_telling(name) and not is_variable else text


def refuse_secrets(address: str, what: str, way_out: str) -> None:
    """Raise ConfigError, which does not show them, where an address holds a login or a key."""
    bare = bare_address(address)
    if bare != address:
        raise ConfigError(f"{what} {bare!r} contains a login or a key, which an address must not; {way_out}")


def given_secrets(environ: Mapping[str, str], arguments: Sequence[str]) -> Secrets:
    """Return the keys and passwords that a command was given, by our variables and by options."""
    variables = (value for name, value in environ.items() if name.startswith(OURS) and is_telling(name))
    options = zip(arguments, [*arguments[1:], ""], strict=True)
    values = (value for name, value in options if name.startswith("--") and is_telling(name))
    return Secrets((*variables, *values, *(text.partition("=")[2] for text in arguments if is_telling(text))))


class _Forms(NamedTuple):
    """The ways to write a secret: the beginning of each, in small letters, escapes, and the pattern of all."""

    heads: tuple[bytes, ...]
    escapes: re.Pattern[bytes]
    pattern: re.Pattern[bytes]

    def may_stand_in(self, text: bytes) -> bool:
        """Return True if a closer look is due, which takes a thousand times longer: most texts hold no secret."""
        small = text.lower()
        if self.escapes.search(small):
            return True
        squeezed = (_LINE_END.sub(b"", small) if b"\\" in small else small).translate(None, _BLANKS)
        return any(head in squeezed or head in small for head in self.heads)


@lru_cache(16)
def _forms_of(values: frozenset[str]) -> _Forms:
    forms = [form for value in sorted(values, key=len, reverse=True) for form in _forms(value)]
    heads = {head for form in forms for head in (form[0], form[0].translate(_SAFE))}
    signs = re.escape("/" + "".join(letter for value in values for letter in value if not letter.isalnum()))
    escapes = re.compile(rb"%b|\\[%b]" % (_ESCAPES, signs.encode()))
    return _Forms(tuple(heads), escapes, re.compile(b"|".join(pattern for _, pattern in forms), re.IGNORECASE))


def _forms(value: str) -> Iterator[tuple[bytes, bytes]]:
    """Give each way to write a secret: how it begins, and its pattern."""
    letters = [letter for letter in value if not letter.isspace()]
    heads = range(max(LEAST_HEAD, len(letters) // 2), len(letters))
    head = next((head for head in heads if is_secret("".join(letters[:head]))), len(letters))
    yield "".join(letters[:head]).encode().lower(), _form(letters[0], [*map(_escaped, letters)], head)
    plain = value.encode()
    for code in (plain.hex(), *(_core(plain, before) for before in range(3))):
        head = max(2 * LEAST_HEAD, len(code) // 2)
        yield code[:head].encode().lower(), _form(code[0], [*map(_coded, code)], head)


def _core(plain: bytes, before: int) -> str:
    """Return the part of base64 that tells of these bytes alone, whatever stands around them.

    ``before`` are the bytes, modulo three, that come before.
    """
    code = base64.b64encode(bytes(before) + plain).decode()
    return code[-(-before * 8 // 6) : (before + len(plain)) * 8 // 6]


def _form(first: str, units: list[bytes], head: int) -> bytes:
    """Return the pattern of units in a row, of which those after the head may be missing.

    Whether a secret may begin at a place is told by one sign, so that a long text is gone through quickly.
    """
    sign = first.translate({ord("+"): "+-", ord("/"): "/_"}).encode()
    begin = b"(?=[%b%%\\\\&])" % re.escape(sign[:1] if sign[0] > 0x7F else sign)
    return begin + _GAP.join(units[:head]) + b"".join(b"(?:%b%b)?" % (_GAP, unit) for unit in units[head:])


def _escaped(letter: str) -> bytes:
    """Return the pattern of a letter as it is, or as JSON, C, a URL or HTML write it."""
    number, code = ord(letter), letter.encode()
    ways = [
        re.escape(code),
        b"".join(b"%%(?:25){0,3}%02x" % byte for byte in code),
        rb"\\{1,4}u%04x" % number if number > 0xFF else rb"\\{1,4}(?:u00|x)%02x" % number,
        b"&(?:amp;){0,3}#(?:0{0,5}%d|x0{0,5}%x);" % (number, number),
    ]
    if not letter.isalnum():
        ways += [rb"\\{1,4}" + re.escape(code), re.escape(html.escape(letter).encode())]
    return b"(?:%b)" % b"|".join(ways)


def _coded(sign: str) -> bytes:
    """Return the pattern of a sign of base64 or a hexadecimal number, as URLs and JSON write it too."""
    return {"+": rb"(?:[+-]|%2b|\\{1,4}u002b)", "/": rb"(?:[/_]|%2f|\\{1,4}/)"}.get(sign, sign.encode())
