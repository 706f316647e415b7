"""A SPARQL endpoint, asked politely: its settings, safe terms, one query at a time, and waiting as long as it says."""

import json
import re
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from http.client import HTTPException, HTTPMessage
from importlib.resources import files
from string import Template
from typing import NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener, getproxies

from kbe_graph.config import Config, contact_setting
from kbe_graph.errors import ConfigError, InputError, KbeWarning, SourceError
from kbe_graph.files.politeness import (
    BUSY,
    FAULTS,
    NO_CONTACT,
    check_contact,
    is_loopback,
    retry_after,
    user_agent,
)
from kbe_graph.secret import Secrets, login_secrets, refuse_secrets

PUBLIC = "https://query.wikidata.org/sparql"


@dataclass(frozen=True, slots=True)
class WikidataSettings:
    """Where and how Wikidata is asked; raises ConfigError where a value makes no sense or a contact is missing.

    ``contact`` is a mail or web address that the operators can write to; ``offline`` asks nothing that was not kept.
    ``patience`` is how many seconds one query may be waited for in all, ``timeout`` how many one attempt may take, and
    ``pause`` how long to wait before a failed query is asked again where the endpoint does not say.
    """

    contact: str = ""
    endpoint: str = PUBLIC
    offline: bool = False
    patience: float = 300.0
    timeout: float = 65.0
    pause: float = 5.0

    def __post_init__(self) -> None:
        refuse_secrets(self.endpoint, "the endpoint", "take it out: an endpoint is asked without one")
        if urlsplit(self.endpoint).scheme not in {"http", "https"} or not urlsplit(self.endpoint).hostname:
            raise ConfigError(f"the endpoint is {self.endpoint!r}; write its address, such as {PUBLIC!r}")
        check_contact(self.contact)
        if not (self.contact or self.offline or self.loopback):
            raise ConfigError(f"no contact for {self.endpoint!r}, {NO_CONTACT}, or use `offline=True`")

    @property
    def loopback(self) -> bool:
        """Whether the endpoint is on this machine."""
        return is_loopback(urlsplit(self.endpoint).hostname or "")

    @property
    def user_agent(self) -> str:
        """The name of this program and its user, sent to the endpoint."""
        return user_agent(self.contact)


def wikidata_settings(
    config: Config,
    environ: Mapping[str, str],
    *,
    contact: str | None = None,
    endpoint: str | None = None,
    offline: bool = False,
) -> WikidataSettings:
    """Return the settings from flags (None where not given), environment and file; raises ConfigError."""
    section = config.section("facts")
    alone = offline or section.get("offline", False)
    if not isinstance(alone, bool):
        raise ConfigError(f"{config.file} [facts] offline is {alone!r}; write true or false")
    return WikidataSettings(
        contact=contact_setting(config, environ, contact),
        endpoint=str(endpoint or environ.get("KBE_ENDPOINT") or section.get("endpoint", PUBLIC)),
        offline=alone,
    )


ENTITY = "http://www.wikidata.org/entity/"
LANGUAGES = ("en", "mul")
_ITEM = re.compile(r"Q[1-9]\d*")
_PROPERTY = re.compile(r"P[1-9]\d*")
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"})


@cache
def query(name: str) -> Template:
    """Return the query of the file ``name``.rq without its comments, so that a better comment asks nothing anew."""
    text = files("kbe_graph.facts.wikidata").joinpath(f"{name}.rq").read_text(encoding="utf-8")
    return Template("\n".join(line for line in text.splitlines() if not line.startswith("#")))


def literal(text: str, language: str = "") -> str:
    """Return a string as a literal (SPARQL 1.1, section 19.8, STRING_LITERAL2): nothing in it can end it early."""
    return f'"{text.translate(_ESCAPES)}"' + (f"@{language}" if language else "")


def names(labels: Iterable[str]) -> str:
    """Return rows of a name and its literal in each language that counts."""
    return " ".join(f"({literal(name)} {literal(name, language)})" for name in labels for language in LANGUAGES)


def items(ids: Iterable[str]) -> str:
    """Return items (Q144) as terms; raises InputError for anything else."""
    return " ".join(f"wd:{_prefixless(item, _ITEM)}" for item in ids)


def properties(ids: Iterable[str]) -> str:
    """Return properties (P36) as the terms of a list; raises InputError for anything else."""
    return ", ".join(f"wd:{_prefixless(name, _PROPERTY)}" for name in ids)


def _prefixless(name: str, form: re.Pattern[str]) -> str:
    if not form.fullmatch(name):
        raise InputError(f"{name!r} is no id of Wikidata; items look like 'Q144', properties like 'P36'")
    return name


def item(uri: str) -> str:
    """Return the id of an item's address, empty for any other value."""
    name = uri.removeprefix(ENTITY)
    return name if uri.startswith(ENTITY) and _ITEM.fullmatch(name) else ""


def statement(uri: str) -> str:
    """Return a statement's id as Wikidata writes it (Q31$9B8A...) from its address."""
    return uri.removeprefix(f"{ENTITY}statement/").replace("-", "$", 1)


_REDIRECTS = range(300, 400)
_ATTEMPTS = 3
_LONG = 10.0  # seconds of waiting after which a user wants to know


class _Failure(NamedTuple):
    """Why an attempt failed; ``wait`` is the pause that the endpoint names, else None; ``final``: not asked again."""

    problem: str
    wait: float | None = None
    busy: bool = False
    final: bool = False


class _NoRedirects(HTTPRedirectHandler):
    """Makes of a redirect the refusal that it is: an answer from elsewhere is not the endpoint's."""

    def redirect_request(self, *_: object) -> None:
        """Refuse to follow: return None, so that nothing is asked there."""


class SparqlEndpoint:
    """Asks queries of one endpoint; where it redirects, nothing is sent."""

    def __init__(self, settings: WikidataSettings, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self.settings = settings
        self._sleep = sleep
        self._secrets = Secrets(login_secrets(getproxies().values()))
        self._opener = build_opener(
            _NoRedirects
        )  # by the proxies of now: the one of urlopen goes by those of its first use

    def ask(self, query: str) -> str:
        """Return the answer of a SELECT query as SPARQL 1.1 results in JSON.

        Asks again after the pause that the endpoint names (Retry-After in seconds or as a date), or after a fault or a
        broken answer, until the patience is used up. A warning tells of a long wait. Raises SourceError.
        """
        waited, attempts = 0.0, 0
        while True:
            answer = self._attempt(query)
            if isinstance(answer, str):
                return answer
            answer = answer._replace(problem=self._secrets.hide(answer.problem))
            attempts += not answer.busy
            wait = self.settings.pause if answer.wait is None else answer.wait
            if answer.final or attempts == _ATTEMPTS or waited + wait > self.settings.patience:
                raise SourceError(self._message(answer, wait, waited))
            if waited + wait >= _LONG:
                self._warn(answer)
            self._sleep(wait)
            waited += max(wait, 0.1)

    def _warn(self, failure: _Failure) -> None:
        warnings.warn(
            f"{self.settings.endpoint!r} {failure.problem}; it is asked again for at most "
            f"{self.settings.patience:.0f} s, then given up",
            KbeWarning,
            stacklevel=3,
        )

    def _message(self, failure: _Failure, wait: float, waited: float) -> str:
        then = f"; it asks to wait {wait:.0f} s, so run the same command later" if failure.busy else ""
        given_up = f" after {waited:.0f} s of waiting" if waited >= 1 else ""
        return (
            f"{self.settings.endpoint!r}: {failure.problem}{given_up}{then}; "
            "what was answered is kept, and `offline=True` uses it alone"
        )

    def _attempt(self, query: str) -> "str | _Failure":
        request = Request(  # noqa: S310 - the settings let http and https through alone
            self.settings.endpoint,
            data=urlencode({"query": query}).encode(),
            headers={"Accept": "application/sparql-results+json", "User-Agent": self.settings.user_agent},
        )
        try:
            with self._opener.open(request, timeout=self.settings.timeout) as response:
                return _checked(response.read().decode("utf-8"), response.headers)
        except HTTPError as error:
            with error:
                return _refused(error)
        except URLError as error:
            return _Failure(f"cannot be reached ({error.reason})")
        except (HTTPException, OSError, UnicodeDecodeError) as error:
            return _Failure(f"broke off its answer ({type(error).__name__})")


def _refused(error: HTTPError) -> _Failure:
    problem = f"answered {error.code} {error.reason}"
    if error.code in _REDIRECTS:
        return _Failure(
            f"{problem}, a redirect, and nothing is sent there; set `endpoint=...` to an address that answers",
            final=True,
        )
    if error.code in BUSY:
        wait = retry_after(error.headers.get("Retry-After", ""), error.headers.get("Date", ""))
        return _Failure(problem, wait, busy=True)
    return _Failure(problem, final=error.code not in FAULTS)


def _checked(text: str, headers: HTTPMessage) -> "str | _Failure":
    kind = headers.get_content_type()
    if "json" not in kind:
        return _Failure(f"answered {kind!r}, which is no SPARQL result; is the address right?", final=True)
    try:
        rows = json.loads(text)["results"]["bindings"]
    except (ValueError, KeyError, TypeError):
        return _Failure("broke off its answer, or it is no SPARQL result")
    return text if isinstance(rows, list) else _Failure("answered with no rows")
