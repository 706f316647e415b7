"""Client of Wikidata's query service, and the archive of all answers of Wikidata and Wikimedia."""

import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from kbe_graph.files.http import NO_CONTACT, WebClient, WebError, WebReply, WebSettings, is_loopback
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
        self.web  # noqa: B018 - checks the contact
        if not (self.contact or self.offline or is_loopback(parts.hostname)):
            raise ConfigError(f"no contact for {self.endpoint!r}, {NO_CONTACT}, or use `offline`")

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

    def complete(
        self,
        endpoint: str,
        question: str,
        subjects: Sequence[str],
        ask: Callable[[Sequence[str]], tuple[str, str]],
        *,
        size: int,
        offline: bool = False,
        progress: Progress = lambda *_: None,
    ) -> dict[str, str]:
        """Ask about the subjects that no answer covers, in batches of ``size``, and return the hash for each subject.

        ``ask`` returns a batch's query and answer, which is stored at once. Raises SourceError if a subject is missing
        and ``offline`` is set.
        """
        hashes = self.hashes(endpoint, question, subjects)
        missing = [subject for subject in subjects if subject not in hashes]
        name = question.partition(" ")[0]
        if missing and offline:
            first = ", ".join(map(repr, missing[:3]))
            raise SourceError(
                f"{len(missing)} subjects of {name!r} were never looked up ({first}); run it without `offline`"
            )
        for start in range(0, len(missing), size):
            batch = missing[start : start + size]
            text, body = ask(batch)
            self.keep(endpoint, question, text, batch, body)
            progress(f"wikidata {name}", start + len(batch), len(missing))
        return self.hashes(endpoint, question, subjects) if missing else hashes

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


ENTITY = "http://www.wikidata.org/entity/"
LANGUAGES = ("en", "mul")
BATCH = {"find": 25, "kinds": 10, "facts": 25, "names": 200}
_ITEM = re.compile(r"Q[1-9]\d*")
_PROPERTY = re.compile(r"P[1-9]\d*")
_HEADERS = {"accept": "application/sparql-results+json"}


class ResultRow(NamedTuple):
    """A row of an answer: its values by column, and the date when it was fetched."""

    values: Mapping[str, str]
    fetched: str


@cache
def query(name: str) -> Template:
    """Read the query ``name``.rq without comments, so that editing a comment does not invalidate cached answers."""
    text = files("kbe_graph.facts.wikidata").joinpath(f"{name}.rq").read_text(encoding="utf-8")
    return Template("\n".join(line for line in text.splitlines() if not line.startswith("#")))


def literal(text: str, language: str = "") -> str:
    """Format a string as a literal, escaped so that it cannot end early (SPARQL 1.1, sections 19.2 and 19.8)."""
    return json.dumps(text, ensure_ascii=False) + (f"@{language}" if language else "")


def names(labels: Iterable[str]) -> str:
    """Format pairs of a name and its literal in each of ``LANGUAGES``."""
    return " ".join(f"({literal(name)} {literal(name, language)})" for name in labels for language in LANGUAGES)


def items(ids: Iterable[str]) -> str:
    """Format item ids (Q144) as terms; raises InputError for anything else."""
    return " ".join(_term(item, _ITEM) for item in ids)


def properties(ids: Iterable[str]) -> str:
    """Format property ids (P36) as a comma-separated list of terms; raises InputError for anything else."""
    return ", ".join(_term(name, _PROPERTY) for name in ids)


def _term(name: str, form: re.Pattern[str]) -> str:
    if not form.fullmatch(name):
        raise InputError(f"{name!r} is not a Wikidata id; items look like 'Q144', properties like 'P36'")
    return f"wd:{name}"


def item_of(uri: str) -> str:
    """Return the item id of a URI, or an empty string if it is not an item's."""
    name = uri.removeprefix(ENTITY)
    return name if uri.startswith(ENTITY) and _ITEM.fullmatch(name) else ""


class Wikidata:
    """Client that queries only what the archive lacks; the rows of a subject do not depend on the rest of a batch."""

    def __init__(
        self,
        archive: Archive,
        settings: WikidataSettings,
        progress: Progress = lambda *_: None,
        *,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self._archive, self._settings, self._progress = archive, settings, progress
        self._client = WebClient(settings.web, service=True, headers=_HEADERS, sleep=sleep)

    def find(self, labels: Iterable[str]) -> Mapping[str, tuple[ResultRow, ...]]:
        """Return the items with each name, as rows of item, match and sitelinks; raises SourceError."""
        return self._rows("find", labels, names)

    def kinds(self, ids: Iterable[str]) -> Mapping[str, tuple[ResultRow, ...]]:
        """Return the names of all kinds of each item, as rows of name; raises SourceError."""
        return self._rows("kinds", ids, items)

    def names(self, ids: Iterable[str]) -> Mapping[str, tuple[ResultRow, ...]]:
        """Return the names of each item, as rows of name and match; raises SourceError."""
        return self._rows("names", ids, items)

    def facts(self, ids: Iterable[str], protected: Sequence[str]) -> Mapping[str, tuple[ResultRow, ...]]:
        """Return the rows of facts.rq: all properties of each item except protected ones; raises SourceError."""
        return self._rows("facts", ids, items, properties(protected))

    def ask(self, query: str) -> str:
        """Run a SELECT query and return the result as SPARQL 1.1 JSON; raises SourceError."""
        return self._client.text(self._settings.endpoint, {"query": query}, _check_result)

    def _rows(
        self, name: str, subjects: Iterable[str], terms: Callable[[Sequence[str]], str], protected: str = ""
    ) -> Mapping[str, tuple[ResultRow, ...]]:
        subjects = sorted(set(subjects))
        endpoint, offline = self._settings.endpoint, self._settings.offline
        question = f"{name} {sha256(f'{query(name).template} {protected}'.encode()).hexdigest()[:16]}"

        def ask(batch: Sequence[str]) -> tuple[str, str]:
            text = query(name).substitute(names=terms(batch), items=terms(batch), protected=protected)
            return text, self.ask(text)

        hashes = self._archive.complete(
            endpoint, question, subjects, ask, size=BATCH[name], offline=offline, progress=self._progress
        )
        rows_of: dict[str, list[ResultRow]] = {subject: [] for subject in subjects}
        for answer in sorted(set(hashes.values())):
            fetched, body = self._archive.answer(endpoint, answer)
            for binding in json.loads(body)["results"]["bindings"]:
                values = {column: cell["value"] for column, cell in binding.items()}
                about = values["about"].removeprefix(ENTITY)
                if hashes.get(about) == answer:
                    rows_of[about].append(ResultRow(values, fetched[:10]))
        return {subject: tuple(sorted(rows, key=_order)) for subject, rows in rows_of.items()}


def _order(row: ResultRow) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(row.values.items()))


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
