"""SPARQL endpoint: settings, safe terms, and polite queries, one at a time."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from urllib.parse import urlsplit

from kbe_graph.config import Config, contact_setting
from kbe_graph.errors import ConfigError, InputError
from kbe_graph.files.http import NO_CONTACT, WebClient, WebError, WebReply, WebSettings, is_loopback
from kbe_graph.secret import refuse_secrets

PUBLIC = "https://query.wikidata.org/sparql"


@dataclass(frozen=True, slots=True)
class WikidataSettings:
    """Where and how to query Wikidata; raises ConfigError if a value is invalid or the contact is missing.

    ``contact`` is a mail or web address for the endpoint's operators; ``offline`` allows only cached answers.
    ``patience`` is the total number of seconds that one query may wait, and ``pause`` the wait before a
    retry if the endpoint does not specify one.
    """

    contact: str = ""
    endpoint: str = PUBLIC
    offline: bool = False
    patience: float = 300.0
    pause: float = 5.0

    def __post_init__(self) -> None:
        refuse_secrets(self.endpoint, "the endpoint", "remove it: endpoints are queried without one")
        if urlsplit(self.endpoint).scheme not in {"http", "https"} or not urlsplit(self.endpoint).hostname:
            raise ConfigError(f"the endpoint is {self.endpoint!r}; write its address, such as {PUBLIC!r}")
        self.web  # noqa: B018 - checks the contact
        if not (self.contact or self.offline or self.loopback):
            raise ConfigError(f"no contact for {self.endpoint!r}, {NO_CONTACT}, or use `offline`")

    @property
    def loopback(self) -> bool:
        """Whether the endpoint is on this machine."""
        return is_loopback(urlsplit(self.endpoint).hostname or "")

    @property
    def web(self) -> WebSettings:
        """How the endpoint is asked; one that the user names may be on a private network."""
        return WebSettings(self.contact, local_hosts=True, patience=self.patience, pause=self.pause)


def wikidata_settings(
    config: Config,
    environ: Mapping[str, str],
    *,
    contact: str | None = None,
    endpoint: str | None = None,
    offline: bool = False,
) -> WikidataSettings:
    """Combine the settings from flags (None if not given), environment and file; raises ConfigError."""
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
    """Read the query ``name``.rq without comments, so that editing a comment does not invalidate cached answers."""
    text = files("kbe_graph.facts.wikidata").joinpath(f"{name}.rq").read_text(encoding="utf-8")
    return Template("\n".join(line for line in text.splitlines() if not line.startswith("#")))


def literal(text: str, language: str = "") -> str:
    """Format a string as a literal (SPARQL 1.1, section 19.8, STRING_LITERAL2), escaped so that it cannot end early."""
    return f'"{text.translate(_ESCAPES)}"' + (f"@{language}" if language else "")


def names(labels: Iterable[str]) -> str:
    """Format pairs of a name and its literal in each of ``LANGUAGES``."""
    return " ".join(f"({literal(name)} {literal(name, language)})" for name in labels for language in LANGUAGES)


def items(ids: Iterable[str]) -> str:
    """Format item ids (Q144) as terms; raises InputError for anything else."""
    return " ".join(f"wd:{_prefixless(item, _ITEM)}" for item in ids)


def properties(ids: Iterable[str]) -> str:
    """Format property ids (P36) as a comma-separated list of terms; raises InputError for anything else."""
    return ", ".join(f"wd:{_prefixless(name, _PROPERTY)}" for name in ids)


def _prefixless(name: str, form: re.Pattern[str]) -> str:
    if not form.fullmatch(name):
        raise InputError(f"{name!r} is not a Wikidata id; items look like 'Q144', properties like 'P36'")
    return name


def item(uri: str) -> str:
    """Return the item id of a URI, or an empty string if it is not an item's."""
    name = uri.removeprefix(ENTITY)
    return name if uri.startswith(ENTITY) and _ITEM.fullmatch(name) else ""


def statement(uri: str) -> str:
    """Convert a statement's URI to its id as Wikidata writes it (Q31$9B8A...)."""
    return uri.removeprefix(f"{ENTITY}statement/").replace("-", "$", 1)


class SparqlEndpoint:
    """Client for one SPARQL endpoint, which is asked one query at a time and follows no redirects."""

    def __init__(self, settings: WikidataSettings, *, sleep: Callable[[float], None] | None = None) -> None:
        self.settings = settings
        headers = {"accept": "application/sparql-results+json"}
        self._client = WebClient(settings.web, service=True, headers=headers, sleep=sleep)

    def ask(self, query: str) -> str:
        """Run a SELECT query and return the result as SPARQL 1.1 JSON; raises SourceError."""
        return self._client.text(self.settings.endpoint, {"query": query}, _check_result)


def _check_result(reply: WebReply) -> None:
    kind = reply.headers.get("content-type", "").partition(";")[0]
    if "json" not in kind:
        raise WebError(f"answered {kind!r}, which is not a SPARQL result; check the address")
    try:
        rows = json.loads(reply.content)["results"]["bindings"]
    except (ValueError, KeyError, TypeError):
        rows = None
    if not isinstance(rows, list):
        raise WebError("sent an incomplete answer, or one that is not a SPARQL result", again=True)
