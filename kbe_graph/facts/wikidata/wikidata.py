"""Wikidata's query service, and the archive of all answers of Wikidata and Wikimedia that its clients share."""

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import NamedTuple, Self
from urllib.parse import urlsplit

from kbe_graph.config import Config, contact_setting
from kbe_graph.errors import ConfigError, InputError, SourceError
from kbe_graph.files.database import Database
from kbe_graph.files.http import WebClient, WebError, WebReply, WebSettings
from kbe_graph.files.whole import private_folder
from kbe_graph.secret import refuse_secrets
from kbe_graph.types import Progress

PUBLIC = "https://query.wikidata.org/sparql"
FILE = Path("wikidata") / "answers.sqlite"
"""The location of the archive in a workspace's hidden folder."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answer (
  hash TEXT NOT NULL, endpoint TEXT NOT NULL, query TEXT NOT NULL, fetched TEXT NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (endpoint, hash));
CREATE TABLE IF NOT EXISTS subject (
  endpoint TEXT NOT NULL, question TEXT NOT NULL, about TEXT NOT NULL, hash TEXT NOT NULL,
  PRIMARY KEY (endpoint, question, about));
"""
_CHUNK = 500
_LONG = 1 << 16  # characters
# The last lets Wikimedia reply from the nearest data centre: a request is a POST, but writes nothing.
_HEADERS = {
    "accept": "application/sparql-results+json, application/json;q=0.9",
    "Promise-Non-Write-API-Action": "true",
}


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
        parts = urlsplit(self.endpoint)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigError(f"the endpoint is {self.endpoint!r}; write its address, such as {PUBLIC!r}")
        web = self.web
        if not self.offline:
            web.require_contact(self.endpoint)

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


class Archive:
    """Cache of raw answers by endpoint and query hash, and an index of the subjects that each answer covers."""

    def __init__(self, file: Path) -> None:
        try:
            private_folder(file.parent)
        except OSError as error:
            raise InputError(
                f"cannot keep answers in {str(file)!r}: {error.strerror}; delete it or choose another place"
            ) from None
        self._database = Database(file)
        self._database.executescript(_SCHEMA)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def keep(self, endpoint: str, question: str, query: str, subjects: Iterable[str], body: str) -> None:
        """Store an answer with the subjects that it covers; ``question`` names the query and its version."""
        name = sha256(query.encode()).hexdigest()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        packed = body if len(body) < _LONG else zlib.compress(body.encode())
        rows = [(endpoint, question, subject, name) for subject in subjects]
        with self._database as database:
            database.execute(
                "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?)", (name, endpoint, query, now, packed)
            )
            database.executemany("INSERT OR REPLACE INTO subject VALUES (?, ?, ?, ?)", rows)

    def hashes(self, endpoint: str, question: str, subjects: Sequence[str]) -> dict[str, str]:
        """Return the hash of the answer that covers each subject; subjects without one are left out."""
        hashes: dict[str, str] = {}
        for start in range(0, len(subjects), _CHUNK):
            chunk = subjects[start : start + _CHUNK]
            marks = ", ".join("?" * len(chunk))
            hashes |= self._database.execute(
                f"SELECT about, hash FROM subject WHERE endpoint = ? AND question = ? AND about IN ({marks})",
                (endpoint, question, *chunk),
            ).fetchall()
        return hashes

    def answer(self, endpoint: str, name: str) -> tuple[str, str]:
        """Return the time when the answer with this hash was fetched, and its text."""
        fetched, body = self._database.execute(
            "SELECT fetched, body FROM answer WHERE endpoint = ? AND hash = ?", (endpoint, name)
        ).fetchone()
        return fetched, body if isinstance(body, str) else zlib.decompress(body).decode()

    def span(self) -> tuple[str, str]:
        """Return the times of the oldest and the newest answer, empty if there are none."""
        oldest, newest = self._database.execute("SELECT min(fetched), max(fetched) FROM answer").fetchone()
        return oldest or "", newest or ""


class Answer(NamedTuple):
    """An answer: the subjects that were asked about, when it was fetched, and its text."""

    subjects: Sequence[str]
    fetched: str
    body: str


class Wikimedia:
    """Client of Wikidata and of Wikimedia's wikis: asks what the archive lacks, one request at a time."""

    def __init__(
        self,
        archive: Archive,
        settings: WikidataSettings,
        progress: Progress = lambda *_: None,
        *,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self.archive, self.settings, self.progress = archive, settings, progress
        self.web = WebClient(settings.web, service=True, headers=_HEADERS, sleep=sleep)

    def answers(
        self,
        address: str,
        question: str,
        subjects: Iterable[str],
        ask: Callable[[Sequence[str]], tuple[str, str]],
        *,
        size: int,
    ) -> Iterator[Answer]:
        """Yield the answers about ``subjects``, asking in batches of ``size`` about those that the archive lacks.

        ``question`` names the query and its version. ``ask`` returns a batch's query and answer, which is stored at
        once, so that an interrupted run asks nothing twice. Raises SourceError, also if a subject is missing offline.
        """
        unique, name = list(dict.fromkeys(subjects)), question.partition(" ")[0]
        for start in range(0, len(unique), _CHUNK):
            chunk = unique[start : start + _CHUNK]
            hashes = self.archive.hashes(address, question, chunk)
            missing = [subject for subject in chunk if subject not in hashes]
            if missing and self.settings.offline:
                first = ", ".join(map(repr, missing[:3]))
                problem = f"{len(missing)} subjects of {name!r} were never looked up ({first})"
                raise SourceError(f"{problem}; run it without `offline`")
            for at in range(0, len(missing), size):
                batch = missing[at : at + size]
                query, body = ask(batch)
                self.archive.keep(address, question, query, batch, body)
                self.progress(f"wikimedia {name}", start + at + len(batch), len(unique))
            hashes |= self.archive.hashes(address, question, missing)
            about: dict[str, list[str]] = {}
            for subject in chunk:
                about.setdefault(hashes[subject], []).append(subject)
            for hash_, own in about.items():
                yield Answer(own, *self.archive.answer(address, hash_))


ENTITY = "http://www.wikidata.org/entity/"
_LANGUAGES = ("en", "mul")
_SIZES = {"find": 25, "kinds": 10, "facts": 25, "names": 200}
_ITEM = re.compile(r"Q[1-9]\d*")


class ResultRow(NamedTuple):
    """A row of an answer: its values by column, and the date when it was fetched."""

    values: Mapping[str, str]
    fetched: str


def rows_about(
    wikidata: Wikimedia, name: str, subjects: Iterable[str], *, without: Sequence[str] = ()
) -> Mapping[str, tuple[ResultRow, ...]]:
    """Run the query ``name``.rq about names (``find``) or items, and return the rows of each.

    ``without`` are properties to leave out. Raises SourceError, and InputError for what is no item.
    """
    address, wanted = wikidata.settings.endpoint, sorted(set(subjects))
    protected = ", ".join(f"wd:{property_id}" for property_id in without)
    question = f"{name} {sha256(f'{query(name).template} {protected}'.encode()).hexdigest()[:16]}"

    def ask(batch: Sequence[str]) -> tuple[str, str]:
        terms = _names(batch) if name == "find" else _items(batch)
        text = query(name).substitute(names=terms, items=terms, protected=protected)
        return text, wikidata.web.text(address, {"query": text}, _check_result)

    rows_of: dict[str, list[ResultRow]] = {subject: [] for subject in wanted}
    for answer in wikidata.answers(address, question, wanted, ask, size=_SIZES[name]):
        for binding in json.loads(answer.body)["results"]["bindings"]:
            values = {column: cell["value"] for column, cell in binding.items()}
            about = values["about"].removeprefix(ENTITY)
            if about in answer.subjects:
                rows_of[about].append(ResultRow(values, answer.fetched[:10]))
    return {subject: tuple(sorted(rows, key=_order)) for subject, rows in rows_of.items()}


@cache
def query(name: str) -> Template:
    """Read the query ``name``.rq without comments, so that editing a comment does not invalidate cached answers."""
    text = files("kbe_graph.facts.wikidata").joinpath(f"{name}.rq").read_text(encoding="utf-8")
    return Template("\n".join(line for line in text.splitlines() if not line.startswith("#")))


def _names(labels: Iterable[str]) -> str:
    """Format pairs of a name and its literal in each language; JSON escapes as SPARQL does (1.1, section 19)."""
    texts = [json.dumps(label, ensure_ascii=False) for label in labels]
    return " ".join(f"({text} {text}@{language})" for text in texts for language in _LANGUAGES)


def _items(ids: Sequence[str]) -> str:
    wrong = [item for item in ids if not _ITEM.fullmatch(item)]
    if wrong:
        raise InputError(f"{wrong[0]!r} is not a Wikidata item; items look like 'Q144'")
    return " ".join(f"wd:{item}" for item in ids)


def item_of(uri: str) -> str:
    """Return the item id of a URI, or an empty string if it is not an item's."""
    name = uri.removeprefix(ENTITY)
    return name if uri.startswith(ENTITY) and _ITEM.fullmatch(name) else ""


def _order(row: ResultRow) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(row.values.items()))


def read_json(reply: WebReply) -> object:
    """Return the JSON of a reply; raises WebError if it has another type, or is incomplete."""
    kind = reply.headers.get("content-type", "").partition(";")[0]
    if "json" not in kind:
        raise WebError(f"answered {kind!r}, which is not JSON; check the address")
    try:
        return json.loads(reply.content)
    except (ValueError, RecursionError):
        raise WebError("sent an incomplete answer, or one that is not JSON", again=True) from None


def _check_result(reply: WebReply) -> None:
    match read_json(reply):
        case {"results": {"bindings": [*_]}}:
            return
    raise WebError("sent an incomplete answer, or one that is not a SPARQL result", again=True)
