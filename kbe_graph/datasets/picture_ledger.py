"""The ledger of fetched pictures: the file that each address gave, when, and with which headers."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from kbe_graph.datasets.download import Download
from kbe_graph.files.database import Database

_SCHEMA = """
CREATE TABLE IF NOT EXISTS picture (
  address TEXT PRIMARY KEY, fetched TEXT NOT NULL, status INTEGER NOT NULL, name TEXT NOT NULL, sha256 TEXT NOT NULL,
  type TEXT NOT NULL, headers TEXT NOT NULL, problem TEXT NOT NULL);
"""
_CHUNK = 500
_HEADERS = frozenset({"etag", "last-modified", "link"})
_RIGHTS = ("licen", "copyright", "rights", "attribution")


class PictureLedger:
    """A SQLite file with the last answer of each address. Close it at the end. Raises ResourceError."""

    def __init__(self, file: Path) -> None:
        self._database = Database(file)
        self._database.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def names(self, addresses: Sequence[str], folder: Path) -> dict[str, str]:
        """Return the names of the pictures that an address gave and that are still in the folder."""
        return {
            address: name
            for start in range(0, len(addresses), _CHUNK)
            for address, name in self._rows(addresses[start : start + _CHUNK])
            if (folder / name).is_file()
        }

    def keep(self, address: str, name: str, download: Download) -> None:
        """Note which file an address gave, with the headers that tell versions and rights, as they came."""
        digest, kind = sha256(download.content).hexdigest(), download.headers.get("content-type", "")
        headers = json.dumps(dict(_told_headers(download.headers)), sort_keys=True)
        self._write(address, download.status, name, digest, kind, headers, "")

    def note_failure(self, address: str, status: int, problem: str) -> None:
        """Note why an address gave no picture."""
        self._write(address, status, "", "", "", "{}", problem)

    def _rows(self, addresses: Sequence[str]) -> Iterator[tuple[str, str]]:
        marks = ", ".join("?" * len(addresses))
        statement = f"SELECT address, name FROM picture WHERE name <> '' AND address IN ({marks})"
        yield from self._database.execute(statement, addresses)

    def _write(self, address: str, *values: object) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._database as database:
            database.execute("INSERT OR REPLACE INTO picture VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (address, now, *values))


def _told_headers(headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return (
        (name, value) for name, value in headers.items() if name in _HEADERS or any(map(name.__contains__, _RIGHTS))
    )
