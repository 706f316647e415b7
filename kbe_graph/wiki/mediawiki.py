"""Client for the Action API of Wikimedia's wikis: batched, rate-friendly requests, with every reply archived."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from hashlib import sha256
from http.client import HTTPMessage
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from kbe_graph.errors import ConfigError, SourceError
from kbe_graph.facts.wikidata.service import Refusal, Service
from kbe_graph.facts.wikidata.wikidata import Archive
from kbe_graph.files.politeness import NO_CONTACT, check_contact, is_loopback, retry_after, user_agent
from kbe_graph.secret import refuse_secrets
from kbe_graph.types import Progress
from kbe_graph.wiki.commons import COMMONS
from kbe_graph.wiki.page_name import check_language

WIKIDATA = "wikidata"
BATCH = 50
"""Maximum titles or ids per request."""

_CHUNK = 500
_HELD = 2  # cached replies: a new and an archived one, whose subjects may alternate
_PARTS = 500  # maximum continuations of one request
_ALWAYS = {"format": "json", "formatversion": "2", "maxlag": "5"}
_BUSY = frozenset({"maxlag", "ratelimited"})
_FAULTS = ("internal_api_error", "readonly", "timeout", "cirrussearch-too-busy")
# Lets Wikimedia reply from the nearest data centre: the request is a POST but writes nothing.
_HEADERS = {"Accept": "application/json", "Promise-Non-Write-API-Action": "true"}


@dataclass(frozen=True, slots=True)
class WikiSettings:
    """Where and how to query Wikimedia; raises ConfigError for an invalid value or a missing contact.

    ``contact`` is an email or web address at which the operators can reach you; with ``offline``, only archived replies
    are used. ``endpoint`` replaces all of Wikimedia, with the paths ``/wikidata``, ``/commons`` and
    ``/wikipedia/LANGUAGE``. ``patience`` is the total time for one request, ``timeout`` the time for one attempt, and
    ``pause`` the delay before a retry unless the server names one; all in seconds.
    """

    contact: str = ""
    endpoint: str = ""
    wikidata: str = "https://www.wikidata.org/w/api.php"
    wikipedia: str = "https://{language}.wikipedia.org/w/api.php"
    commons: str = "https://commons.wikimedia.org/w/api.php"
    offline: bool = False
    patience: float = 300.0
    timeout: float = 65.0
    pause: float = 5.0

    def __post_init__(self) -> None:
        for name in ("endpoint",) if self.endpoint else ("wikidata", "wikipedia", "commons"):
            _check_address(name, getattr(self, name))
        if "{language}" not in self.wikipedia:
            raise ConfigError(f"`wikipedia` is {self.wikipedia!r}; write '{{language}}' in place of the language")
        check_contact(self.contact)
        if not (self.contact or self.offline or self.loopback):
            raise ConfigError(f"no contact for Wikimedia, {NO_CONTACT}, or use `offline=True`")

    @property
    def loopback(self) -> bool:
        """Whether all addresses are on this machine."""
        addresses = map(self.address, (WIKIDATA, COMMONS, "en"))
        return all(is_loopback(urlsplit(address).hostname or "") for address in addresses)

    @property
    def user_agent(self) -> str:
        """The User-Agent header sent to Wikimedia, which names this program and the contact."""
        return user_agent(self.contact)

    def address(self, wiki: str) -> str:
        """Return the Action API address of ``wikidata``, ``commons``, or the Wikipedia in a language."""
        if wiki in {WIKIDATA, COMMONS}:
            own: str = getattr(self, wiki)
            return f"{self.endpoint.rstrip('/')}/{wiki}" if self.endpoint else own
        language = check_language(wiki)
        if self.endpoint:
            return f"{self.endpoint.rstrip('/')}/wikipedia/{language}"
        return self.wikipedia.replace("{language}", language)


def _check_address(name: str, address: str) -> None:
    refuse_secrets(address, f"`{name}`", "remove it: Wikimedia is queried without one")
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise ConfigError(f"`{name}` is {address!r}; write an address such as 'https://www.wikidata.org/w/api.php'")


class ActionQuery(NamedTuple):
    """A query about subjects: the wiki, a name, the parameters, and the parameter that holds the subjects."""

    wiki: str
    name: str
    parameters: Mapping[str, str]
    subjects: str = "titles"

    @property
    def key(self) -> str:
        """The archive's key for the replies, which changes with the parameters."""
        return f"{self.name} {sha256(urlencode(sorted(self.parameters.items())).encode()).hexdigest()[:16]}"


class ActionAnswer(NamedTuple):
    """The reply about some subjects, in one or more parts, with its address and time."""

    subjects: Sequence[str]
    parts: Sequence[Mapping[str, Any]]
    address: str
    fetched: str


@dataclass(frozen=True, slots=True)
class MediaWiki:
    """Client that requests whatever the archive does not hold yet, one request at a time."""

    archive: Archive
    settings: WikiSettings
    progress: Progress = lambda *_: None
    sleep: Callable[[float], None] = time.sleep
    _services: dict[str, Service] = field(default_factory=dict)

    def answers(self, query: ActionQuery, subjects: Iterable[str]) -> Iterator[ActionAnswer]:
        """Yield the replies about ``subjects``, in their order; raises SourceError.

        Each reply is archived at once, so an interrupted run requests nothing twice.
        """
        unique = tuple(dict.fromkeys(subjects))
        address = self.settings.address(query.wiki)
        if self.settings.offline:
            self._require(query, unique)
        answer_of = lru_cache(_HELD)(partial(self._answer, address))
        for start in range(0, len(unique), _CHUNK):
            chunk = unique[start : start + _CHUNK]
            for name, about in groupby(chunk, key=self._hashes(query, chunk).__getitem__):
                yield answer_of(name)._replace(subjects=tuple(about))
            self.progress(f"wikimedia {query.name}", start + len(chunk), len(unique))

    def _answer(self, address: str, name: str) -> ActionAnswer:
        fetched, body = self.archive.answer(address, name)
        return ActionAnswer((), json.loads(body), address, fetched)

    def _require(self, query: ActionQuery, subjects: Sequence[str]) -> None:
        hashes = self.archive.hashes(self.settings.address(query.wiki), query.key, subjects)
        missing = [subject for subject in subjects if subject not in hashes]
        if missing:
            first = ", ".join(map(repr, missing[:3]))
            raise SourceError(
                f"{len(missing)} subjects of {query.name!r} were never looked up ({first}); run it without "
                "`offline=True`"
            )

    def _hashes(self, query: ActionQuery, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return the hash of each subject's reply, requesting those that are missing."""
        address = self.settings.address(query.wiki)
        hashes = self.archive.hashes(address, query.key, subjects)
        missing = [subject for subject in subjects if subject not in hashes]
        if not missing:
            return hashes
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            form = {"action": "query", **_ALWAYS, **query.parameters, query.subjects: "|".join(batch)}
            body = f"[{','.join(self._parts(query.wiki, form))}]"
            self.archive.keep(address, query.key, urlencode(form), batch, body)
        return self.archive.hashes(address, query.key, subjects)

    def _parts(self, wiki: str, form: Mapping[str, str]) -> Iterator[str]:
        """Yield the reply to a form and its continuations."""
        service = self._service(wiki)
        more: Mapping[str, str] = {}
        for _ in range(_PARTS):
            body = service.ask(urlencode({**form, **more}).encode())
            yield body
            more = json.loads(body).get("continue")
            if not more:
                return
        raise SourceError(f"{service.address!r}: an answer has more than {_PARTS} parts; request less at once")

    def _service(self, wiki: str) -> Service:
        if wiki not in self._services:
            self._services[wiki] = Service(
                self.settings.address(wiki),
                self.settings,
                _action_answer,
                setting="`server=...`",
                headers=_HEADERS,
                sleep=self.sleep,
            )
        return self._services[wiki]


def _action_answer(text: str, headers: HTTPMessage) -> "str | Refusal":
    kind = headers.get_content_type()
    if "json" not in kind:
        return Refusal(f"answered {kind!r}, which is not an answer of the Action API; check the address", final=True)
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return Refusal("sent an incomplete answer, or one that is not JSON")
    if not isinstance(answer, dict):
        return Refusal("did not answer with an object, so it is not an Action API", final=True)
    if error := answer.get("error"):
        return _refused_by_api(error, headers)
    return text if _tells_of_subjects(answer) else Refusal("answered with neither pages nor entities")


def _tells_of_subjects(answer: Mapping[str, Any]) -> bool:
    """Return True for a reply of the expected form, so that no unusable reply is archived."""
    query, entities = answer.get("query"), answer.get("entities")
    if isinstance(entities, dict):
        return all(isinstance(entity, dict) for entity in entities.values())
    if not isinstance(query, dict):
        return False
    steps = (*query.get("normalized", ()), *query.get("redirects", ()))
    pages = query.get("pages", ())
    return all(isinstance(page.get("title"), str) for page in pages) and all(
        {"from", "to"} <= {*step} for step in steps
    )


def _refused_by_api(error: object, headers: HTTPMessage) -> Refusal:
    """Convert an API error to a refusal; lag and rate limits are reported with status 200."""
    values = error if isinstance(error, dict) else {}
    code, info = str(values.get("code", "no code")), str(values.get("info", ""))[:300]
    problem = f"refused ({code}: {info})"
    if code in _BUSY:
        wait = retry_after(headers.get("Retry-After", ""), headers.get("Date", ""))
        return Refusal(problem, wait, busy=True)
    return Refusal(problem, final=not code.startswith(_FAULTS))
