"""Wikidata as a knowledge source: four kinds of query, sent in batches, with every answer cached in one SQLite file."""

import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from kbe_graph.errors import InputError, SourceError
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.wikidata.sparql import ENTITY, SparqlEndpoint, items, names, properties, query
from kbe_graph.files.database import Database
from kbe_graph.files.whole import private_folder
from kbe_graph.types import Fact, Progress, Question, Sample

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


class ResultRow(NamedTuple):
    """A row of an answer: its values by column, and the date when it was fetched."""

    values: Mapping[str, str]
    fetched: str


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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def keep(self, endpoint: str, question: str, query: str, subjects: Iterable[str], body: str) -> None:
        """Store an answer with the subjects that it covers; ``question`` names the query and its version."""
        name = sha256(query.encode()).hexdigest()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._database as database:
            database.execute(
                "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?)", (name, endpoint, query, now, _packed(body))
            )
            database.executemany(
                "INSERT OR REPLACE INTO subject VALUES (?, ?, ?, ?)",
                [(endpoint, question, subject, name) for subject in subjects],
            )

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

    def rows(self, endpoint: str, name: str) -> tuple[ResultRow, ...]:
        """Return the rows of the SPARQL answer with this hash."""
        fetched, body = self.answer(endpoint, name)
        bindings = json.loads(body)["results"]["bindings"]
        return tuple(
            ResultRow({column: cell["value"] for column, cell in binding.items()}, fetched[:10]) for binding in bindings
        )

    def count(self) -> int:
        """Return the number of stored answers."""
        return int(self._database.execute("SELECT count(*) FROM answer").fetchone()[0])

    def span(self) -> tuple[str, str]:
        """Return the times of the oldest and the newest answer, empty if there are none."""
        oldest, newest = self._database.execute("SELECT min(fetched), max(fetched) FROM answer").fetchone()
        return oldest or "", newest or ""


def _packed(body: str) -> str | bytes:
    return body if len(body) < _LONG else zlib.compress(body.encode())


BATCH = {"find": 25, "kinds": 10, "facts": 25, "names": 200}
FILE = Path("wikidata") / "answers.sqlite"
"""The location of the cache in a workspace's hidden folder."""


@dataclass(frozen=True, slots=True)
class Wikidata:
    """Client that queries only what the cache lacks; the rows of a subject do not depend on the rest of a batch."""

    archive: Archive
    endpoint: SparqlEndpoint
    progress: Progress = lambda *_: None

    def find(self, labels: Iterable[str]) -> Mapping[str, tuple[ResultRow, ...]]:
        """Return the items with each name, as rows of item, match and sitelinks; raises SourceError."""
        return self._rows("find", labels, lambda batch: {"names": names(batch)})

    def kinds(self, ids: Iterable[str]) -> Mapping[str, tuple[ResultRow, ...]]:
        """Return the names of all kinds of each item, as rows of name; raises SourceError."""
        return self._rows("kinds", ids, lambda batch: {"items": items(batch)})

    def names(self, ids: Iterable[str]) -> Mapping[str, tuple[ResultRow, ...]]:
        """Return the names of each item, as rows of name and match; raises SourceError."""
        return self._rows("names", ids, lambda batch: {"items": items(batch)})

    def facts(self, ids: Iterable[str], protected: Sequence[str]) -> Mapping[str, tuple[ResultRow, ...]]:
        """Return the rows of facts.rq: all properties of each item except protected ones; raises SourceError."""
        left_out = properties(protected)
        return self._rows("facts", ids, lambda batch: {"items": items(batch), "protected": left_out}, left_out)

    def _rows(
        self, name: str, subjects: Iterable[str], places: Callable[[Sequence[str]], Mapping[str, str]], more: str = ""
    ) -> Mapping[str, tuple[ResultRow, ...]]:
        subjects = sorted(set(subjects))
        question = f"{name} {sha256(f'{query(name).template} {more}'.encode()).hexdigest()[:16]}"

        def ask(batch: Sequence[str]) -> tuple[str, str]:
            text = query(name).substitute(places(batch))
            return text, self.endpoint.ask(text)

        settings = self.endpoint.settings
        hashes = self.archive.complete(
            settings.endpoint,
            question,
            subjects,
            ask,
            size=BATCH[name],
            offline=settings.offline,
            progress=self.progress,
        )
        rows_of: dict[str, list[ResultRow]] = {subject: [] for subject in subjects}
        for answer in sorted(set(hashes.values())):
            for row in self.archive.rows(settings.endpoint, answer):
                about = row.values["about"].removeprefix(ENTITY)
                if hashes.get(about) == answer:
                    rows_of[about].append(row)
        return {subject: tuple(sorted(rows, key=_order)) for subject, rows in rows_of.items()}


def _order(row: ResultRow) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(row.values.items()))


@dataclass(frozen=True, slots=True)
class WikidataSource:
    """A KnowledgeSource over facts fetched in advance (``closure``), so that a run sends no queries."""

    pack: Pack

    async def candidates(self, sample: Sample, question: Question) -> Sequence[Fact]:  # noqa: ARG002
        """Return the facts of ``question.concept`` whose relation has exactly one object."""
        facts = self.pack.facts_about(question.concept)
        count = Counter(fact.relation for fact in facts)
        return tuple(fact for fact in facts if count[fact.relation] == 1)
