"""Keys and passwords, which are hidden before anything is stored, printed or raised."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import unquote

from kbe_graph.errors import ConfigError

HIDDEN = "[key]"
SHORTEST = 6  # characters of a secret
LONGEST_NUMBER, LONGEST_WORDS = 15, 19  # digits of a number, characters of words: anything longer is a secret
OURS = ("KBE_", "OPENAI_", "NEO4J_")  # prefixes of the package's variables
ADDRESSES = ("base_url", "uri", "endpoint")  # settings that hold an address
_NAMES = (
    r"(?<!cache[_-])key|token(?!s|i)|secret|passw|passphrase|auth(?!ors?(?![a-z]))|credential|cookie|session|signature"
    r"|headers\."
)
_TELLING = re.compile(_NAMES, re.IGNORECASE)
_WORDS = re.compile(r"[A-Za-z]+(?:[ ._-]+[A-Za-z]+)*[ ._-]*")
_LOGIN = re.compile(r"((?:[a-z][a-z0-9+.-]*:)?//)?(.*)@", re.IGNORECASE | re.DOTALL)
_IN_QUERY = re.compile(rf"([?&;#][^=&;#]*(?:{_NAMES})[^=&;#]*=)[^&;#]*", re.IGNORECASE)
Text = TypeVar("Text", str, bytes)


class Secrets:
    """Keys and passwords, each replaced by ``[key]`` wherever it stands in a text, also as JSON writes it.

    A value of fewer than six characters, words of fewer than twenty (``none``, ``not-needed``) and a number of fewer
    than 16 digits are not secrets: programs that need no key are given such values, and any reply may contain them.
    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values = frozenset(value for value in values if is_secret(value))
        forms = {form for value in self._values for form in (value, json.dumps(value)[1:-1])}
        self._forms = sorted(forms, key=len, reverse=True)

    def __repr__(self) -> str:
        return f"<{len(self._values)} secrets>"

    def __or__(self, other: "Secrets") -> "Secrets":
        return Secrets(self._values | other._values)

    def hide(self, text: Text) -> Text:
        """Replace every secret in a text."""
        if isinstance(text, bytes):
            return self.hide(text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        for form in self._forms:
            text = text.replace(form, HIDDEN)
        return text


def is_secret(value: str) -> bool:
    """Return True if a key or password must be hidden; see ``Secrets`` for the exceptions."""
    if len(value) < SHORTEST or (value.isdecimal() and len(value) <= LONGEST_NUMBER):
        return False
    return not (len(value) <= LONGEST_WORDS and _WORDS.fullmatch(value))


def is_telling(name: str) -> bool:
    """Return True if the name (of a setting, a header, a parameter) indicates a key or a password."""
    return bool(_TELLING.search(name))


def secrets_in(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the secrets in settings such as headers: values with a revealing name, and the parts of ``Bearer KEY``."""
    for name, text in _texts(values):
        parts = [text, *re.split(r"[\s;,=]+", text)]
        yield from (part for part in parts if is_telling(name) or is_telling(part))


def named_secrets(values: Mapping[str, Any]) -> list[str]:
    """List the names of the settings that are secret by name."""
    return [name for name, text in _texts(values) if is_telling(name) and is_secret(text)]


def _texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for inner in value:
            yield from _texts(value[inner], f"{name}.{inner}" if name else str(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner, name)
    elif isinstance(value, str):
        yield name, value


def login_secrets(addresses: Iterable[str]) -> Iterator[str]:
    """Yield the passwords in addresses, from the part before ``@``, as written and as sent."""
    for address in addresses:
        if login := _LOGIN.match(address):
            password = login[2].partition(":")[2] or login[2]
            yield from (password, unquote(password))


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
