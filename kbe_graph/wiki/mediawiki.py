"""Client for the Action API of Wikimedia's wikis: batched, rate-friendly requests, with every reply archived."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import urlencode

from kbe_graph.errors import SourceError
from kbe_graph.facts.wikidata.archive import Archive, WikidataSettings
from kbe_graph.files.http import WebClient, WebError, WebReply, asked_wait
from kbe_graph.types import Progress
from kbe_graph.wiki.page_name import COMMONS, check_language

WIKIDATA = "wikidata"
WIKIMEDIA = "https://www.wikimedia.org"
"""The endpoint that stands for all of Wikimedia."""
BATCH = 50
"""Maximum titles or ids per request."""

_CHUNK = 500
_PARTS = 500  # maximum continuations of one request
_ALWAYS = {"format": "json", "formatversion": "2", "maxlag": "5"}
_BUSY = frozenset({"maxlag", "ratelimited"})
_FAULTS = ("internal_api_error", "readonly", "timeout", "cirrussearch-too-busy")
# Lets Wikimedia reply from the nearest data centre: the request is a POST but writes nothing.
_HEADERS = {"accept": "application/json", "Promise-Non-Write-API-Action": "true"}


def address_of(settings: WikidataSettings, wiki: str) -> str:
    """Return the Action API address of ``wikidata``, ``commons``, or the Wikipedia in a language.

    The settings' endpoint is ``WIKIMEDIA``, or a server in its place with the paths ``/wikidata``, ``/commons`` and
    ``/wikipedia/LANGUAGE``.
    """
    hosts = {WIKIDATA: "www.wikidata.org", COMMONS: "commons.wikimedia.org"}
    host = hosts.get(wiki) or f"{check_language(wiki)}.wikipedia.org"
    if settings.endpoint == WIKIMEDIA:
        return f"https://{host}/w/api.php"
    return f"{settings.endpoint.rstrip('/')}/{wiki if wiki in hosts else f'wikipedia/{wiki}'}"


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


class MediaWiki:
    """Client that requests whatever the archive does not hold yet, one request at a time."""

    def __init__(
        self,
        archive: Archive,
        settings: WikidataSettings,
        progress: Progress = lambda *_: None,
        *,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self.archive, self.settings, self.progress = archive, settings, progress
        self._client = WebClient(settings.web, service=True, headers=_HEADERS, sleep=sleep)

    def answers(self, query: ActionQuery, subjects: Iterable[str]) -> Iterator[ActionAnswer]:
        """Yield the replies about ``subjects``, in their order; raises SourceError.

        Each reply is archived at once, so an interrupted run requests nothing twice.
        """
        unique = tuple(dict.fromkeys(subjects))
        address = address_of(self.settings, query.wiki)
        ask, offline = partial(self._ask, address, query), self.settings.offline
        for start in range(0, len(unique), _CHUNK):
            chunk = unique[start : start + _CHUNK]
            hashes = self.archive.complete(address, query.key, chunk, ask, size=BATCH, offline=offline)
            for name, about in groupby(chunk, key=hashes.__getitem__):
                fetched, body = self.archive.answer(address, name)
                yield ActionAnswer(tuple(about), json.loads(body), address, fetched)
            self.progress(f"wikimedia {query.name}", start + len(chunk), len(unique))

    def _ask(self, address: str, query: ActionQuery, batch: Sequence[str]) -> tuple[str, str]:
        form = {"action": "query", **_ALWAYS, **query.parameters, query.subjects: "|".join(batch)}
        return urlencode(form), f"[{','.join(self._parts(address, form))}]"

    def _parts(self, address: str, form: Mapping[str, str]) -> Iterator[str]:
        more: Mapping[str, str] = {}
        for _ in range(_PARTS):
            body = self._client.text(address, {**form, **more}, _check_answer)
            yield body
            more = json.loads(body).get("continue")
            if not more:
                return
        raise SourceError(f"{address!r}: an answer has more than {_PARTS} parts; request less at once")


def _check_answer(reply: WebReply) -> None:
    kind = reply.headers.get("content-type", "").partition(";")[0]
    if "json" not in kind:
        raise WebError(f"answered {kind!r}, which is not an answer of the Action API; check the address")
    try:
        answer = json.loads(reply.content)
    except (ValueError, RecursionError):
        raise WebError("sent an incomplete answer, or one that is not JSON", again=True) from None
    if not isinstance(answer, dict):
        raise WebError("did not answer with an object, so it is not an Action API")
    if error := answer.get("error"):
        raise _refusal(error, reply.headers)
    if not isinstance(answer.get("query") or answer.get("entities"), dict):
        raise WebError("answered with neither pages nor entities", again=True)


def _refusal(error: Mapping[str, Any], headers: Mapping[str, str]) -> WebError:
    code, info = str(error.get("code", "no code")), str(error.get("info", ""))[:300]
    is_busy = code in _BUSY
    wait = asked_wait(headers) if is_busy else None
    return WebError(f"refused ({code}: {info})", 200, wait=wait, busy=is_busy, again=code.startswith(_FAULTS))
