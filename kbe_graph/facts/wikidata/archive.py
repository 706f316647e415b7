"""Every answer of an endpoint, as it came, in one SQLite file of the workspace; what is there is never asked again."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from kbe_graph.errors import InputError
from kbe_graph.files.database import Database
from kbe_graph.files.private import private_folder

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answer (
  hash TEXT NOT NULL, endpoint TEXT NOT NULL, query TEXT NOT NULL, fetched TEXT NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (endpoint, hash));
CREATE TABLE IF NOT EXISTS subject (
  endpoint TEXT NOT NULL, question TEXT NOT NULL, about TEXT NOT NULL, hash TEXT NOT NULL,
  PRIMARY KEY (endpoint, question, about));
"""
_CHUNK = 500


class ResultRow(NamedTuple):
    """One row of an answer: the values by column, and the date on which it was fetched."""

    values: Mapping[str, str]
    fetched: str


class Archive:
    """Raw answers by endpoint and hash of the query, and which answer tells of which subject."""

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
        """Keep an answer whole, with the subjects that it tells of; ``question`` names what was asked of each."""
        name = sha256(query.encode()).hexdigest()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._database as database:
            database.execute("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?)", (name, endpoint, query, now, body))
            database.executemany(
                "INSERT OR REPLACE INTO subject VALUES (?, ?, ?, ?)",
                [(endpoint, question, subject, name) for subject in subjects],
            )

    def hashes(self, endpoint: str, question: str, subjects: Sequence[str]) -> dict[str, str]:
        """Return the hash of the answer that tells of each subject, for those that there is one of."""
        hashes: dict[str, str] = {}
        for start in range(0, len(subjects), _CHUNK):
            chunk = subjects[start : start + _CHUNK]
            marks = ", ".join("?" * len(chunk))
            hashes |= self._database.execute(
                f"SELECT about, hash FROM subject WHERE endpoint = ? AND question = ? AND about IN ({marks})",
                (endpoint, question, *chunk),
            ).fetchall()
        return hashes

    def rows(self, endpoint: str, name: str) -> tuple[ResultRow, ...]:
        """Return the rows of the answer with this hash."""
        fetched, body = self._database.execute(
            "SELECT fetched, body FROM answer WHERE endpoint = ? AND hash = ?", (endpoint, name)
        ).fetchone()
        bindings = json.loads(body)["results"]["bindings"]
        return tuple(
            ResultRow({column: cell["value"] for column, cell in binding.items()}, fetched[:10]) for binding in bindings
        )

    def count(self) -> int:
        """Return the number of answers kept."""
        return int(self._database.execute("SELECT count(*) FROM answer").fetchone()[0])

    def span(self) -> tuple[str, str]:
        """Return when the oldest and the newest answer came, empty where there are none."""
        oldest, newest = self._database.execute("SELECT min(fetched), max(fetched) FROM answer").fetchone()
        return oldest or "", newest or ""
