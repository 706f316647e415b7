"""Answers of Wikidata and Wikimedia kept in one SQLite file, and the settings with which these are asked."""

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from kbe_graph.config import Config, contact_setting
from kbe_graph.errors import ConfigError, InputError, SourceError
from kbe_graph.files.database import Database
from kbe_graph.files.http import NO_CONTACT, WebSettings, is_loopback
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
