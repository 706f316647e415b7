"""Detection of keys and passwords, which are hidden before anything is stored, printed or raised."""

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
LONGEST_NUMBER, LONGEST_WORDS = 15, 19  # digits of a number, characters of words: anything longer is a secret
LEAST_HEAD = 12  # characters needed to recognise a truncated secret
OURS = ("KBE_", "OPENAI_", "NEO4J_")  # prefixes of the package's variables
ADDRESSES = ("base_url", "uri", "endpoint")  # settings that hold an address
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
_GAP = rb"(?>[\s\0]{0,99}(?:\\{1,4}[nrt][\s\0]{0,99}){0,8})"  # between two letters: broken lines, and UTF-16
_LINE_END = re.compile(rb"\\{1,4}[nrt]")
_ESCAPES = rb"%[0-9a-f]{2}|\\[ux][0-9a-f]|&(?:#|amp;|lt;|gt;|quot;)"
_SAFE = bytes.maketrans(b"+/", b"-_")  # base64 in URLs
Text = TypeVar("Text", str, bytes)


class Secrets:
    r"""Keys and passwords, each replaced by ``[key]`` wherever it occurs in a text.

    A secret is found in any ASCII case; with white space, line ends or NULs between its letters (a broken line,
    UTF-16); with letters escaped as in JSON, a URL or HTML, even twice; in base64, alone or within more data such as
    ``Basic``; in hexadecimal; and truncated, if at least its first half is left. It is not found if it was reversed,
    hashed, compressed, encrypted, or assembled from its letters in another way.

    A value of fewer than six characters, English words of fewer than twenty (``none``, ``not-needed``) and a number of
    fewer than 16 digits are not secrets: programs that need no key are given such values, and any reply may contain
    them.
    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values = frozenset(value for value in values if is_secret(value))

    def __repr__(self) -> str:
        return f"<{len(self._values)} secrets>"

    def __or__(self, other: "Secrets") -> "Secrets":
        return Secrets(self._values | other._values)

    def hide(self, text: Text) -> Text:
        """Replace every secret in a text."""
        if not self._values:
            return text
        if isinstance(text, bytes):
            forms = _forms_of(self._values)
            return forms.pattern.sub(HIDDEN.encode(), text) if forms.may_stand_in(text) else text
        return self.hide(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def is_secret(value: str) -> bool:
    """Return True if a key or password must be hidden; see ``Secrets`` for the exceptions."""
    from kbe_graph.english.words import frequency  # imported late, as few values need the word list

    if len(value) < SHORTEST or (value.isdecimal() and len(value) <= LONGEST_NUMBER):
        return False
    is_words = len(value) <= LONGEST_WORDS and _WORDS.fullmatch(value)
    return not (is_words and frequency(re.sub(r"[._-]", " ", value)))


def is_telling(name: str) -> bool:
    """Return True if the name (of a setting, a header, a parameter) indicates a key or a password."""
    return bool(_TELLING.search(name))


def secrets_in(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the secrets in settings such as headers: values with a revealing name, and random strings.

    In ``Bearer KEY`` and ``a=KEY; b=KEY`` each part counts, and in ``Basic ...`` the password too.
    """
    for name, text in _texts(values):
        parts = [text, *re.split(r"[\s;,=]+", text), *_of_basic(text)]
        yield from (part for part in parts if is_telling(name) or _RANDOM.search(part))


def named_secrets(values: Mapping[str, Any]) -> list[str]:
    """List the names of the settings that are secret by name."""
    return [name for name, text in _texts(values) if is_telling(name) and is_secret(text)]


def _texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text in a setting, with the dotted path of names that leads to it."""
    if isinstance(value, Mapping):
        for inner in value:
            yield from _texts(value[inner], f"{name}.{inner}" if name else str(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner, name)
    elif isinstance(value, str):
        yield name, value


def _of_basic(value: str) -> list[str]:
    """Decode user and password from ``Basic ...``; empty for any other value."""
    kind, _, login = value.partition(" ")
    try:
        return base64.b64decode(login).decode().split(":", 1) if kind.lower() == "basic" else []
    except ValueError:
        return []


def login_secrets(addresses: Iterable[str]) -> Iterator[str]:
    """Yield the passwords in addresses, from the part before ``@``."""
    for address in addresses:
        if login := _LOGIN.match(address):
            yield unquote(login[2].partition(":")[2] or login[2])


def bare_address(address: str) -> str:
    """Make an address safe to show: a login, and parameters that are keys, become ``***``."""
    return _IN_QUERY.sub(r"\1***", _LOGIN.sub(r"\1***@", address, count=1))


def shown_setting(name: str, text: str) -> str:
    """Make a setting's value safe to show: for a secret, only that it is set, or the variable that holds it."""
    if "://" in text or name.rpartition(".")[2].removeprefix("judge_") in ADDRESSES:
        return bare_address(text)
    is_variable = text[:1] == "$" and text[1:].isidentifier()
    return "(set)" if text and is_telling(name) and not is_variable else text


def refuse_secrets(address: str, what: str, way_out: str) -> None:
    """Raise ConfigError if an address contains a login or a key, without showing them."""
    bare = bare_address(address)
    if bare != address:
        raise ConfigError(f"{what} {bare!r} contains a login or a key, which an address must not; {way_out}")


def given_secrets(environ: Mapping[str, str], arguments: Sequence[str]) -> Secrets:
    """Collect the keys and passwords given to a command by the package's variables and by options."""
    variables = (value for name, value in environ.items() if name.startswith(OURS) and is_telling(name))
    options = zip(arguments, [*arguments[1:], ""], strict=True)
    values = (value for name, value in options if name.startswith("--") and is_telling(name))
    return Secrets((*variables, *values, *(text.partition("=")[2] for text in arguments if is_telling(text))))


class _Forms(NamedTuple):
    """The ways to write a secret: the lower-case beginning of each, a pattern of escapes, and a pattern of all."""

    heads: tuple[bytes, ...]
    escapes: re.Pattern[bytes]
    pattern: re.Pattern[bytes]

    def may_stand_in(self, text: bytes) -> bool:
        """Return True if a text needs the full search, a thousand times slower; most texts contain no secret."""
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
    """Yield each way to write a secret: its beginning and its pattern."""
    letters = [letter for letter in value if not letter.isspace()]
    heads = range(max(LEAST_HEAD, len(letters) // 2), len(letters))
    head = next((head for head in heads if is_secret("".join(letters[:head]))), len(letters))
    yield "".join(letters[:head]).encode().lower(), _form(letters[0], [*map(_escaped, letters)], head)
    plain = value.encode()
    for code in (plain.hex(), *(_core(plain, before) for before in range(3))):
        head = max(2 * LEAST_HEAD, len(code) // 2)
        yield code[:head].encode().lower(), _form(code[0], [*map(_coded, code)], head)


def _core(plain: bytes, before: int) -> str:
    """Cut out the part of the base64 that depends only on these bytes, whatever surrounds them.

    ``before`` is the number of preceding bytes, modulo three.
    """
    code = base64.b64encode(bytes(before) + plain).decode()
    return code[-(-before * 8 // 6) : (before + len(plain)) * 8 // 6]


def _form(first: str, units: list[bytes], head: int) -> bytes:
    """Build the pattern of consecutive units; those after the first ``head`` may be missing.

    A lookahead on the first character rejects most positions, so that long texts are searched quickly.
    """
    sign = first.translate({ord("+"): "+-", ord("/"): "/_"}).encode()
    begin = b"(?=[%b%%\\\\&])" % re.escape(sign[:1] if sign[0] > 0x7F else sign)
    return begin + _GAP.join(units[:head]) + b"".join(b"(?:%b%b)?" % (_GAP, unit) for unit in units[head:])


def _escaped(letter: str) -> bytes:
    """Build the pattern of a letter, plain or as escaped in JSON, C, a URL or HTML."""
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
    """Build the pattern of a base64 or hexadecimal character, including its escapes in URLs and JSON."""
    return {"+": rb"(?:[+-]|%2b|\\{1,4}u002b)", "/": rb"(?:[/_]|%2f|\\{1,4}/)"}.get(sign, sign.encode())
