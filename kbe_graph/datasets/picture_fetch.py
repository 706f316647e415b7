"""Pictures that a benchmark gives by web address: fetched once, saved by content, and recorded in a ledger."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from kbe_graph.datasets.download import Download, Downloader, DownloadError, DownloadSettings, Pauses
from kbe_graph.datasets.format import FileReading, SampleRow
from kbe_graph.datasets.picture import is_address
from kbe_graph.errors import PictureError
from kbe_graph.files.database import Database
from kbe_graph.files.image import image_id, save_image
from kbe_graph.files.pixels import require_picture
from kbe_graph.files.record import Record
from kbe_graph.models.loop import gather_all, run
from kbe_graph.types import Progress, Sample

_NOT_FETCHED = "pictures given as addresses, not fetched (`fetch=True` fetches them)"
_FAILED = "pictures that could not be fetched (run the same command again)"
_CONNECTIONS = 2
_SCHEMA = """
CREATE TABLE IF NOT EXISTS picture (
  address TEXT PRIMARY KEY, fetched TEXT NOT NULL, status INTEGER NOT NULL, name TEXT NOT NULL, sha256 TEXT NOT NULL,
  type TEXT NOT NULL, headers TEXT NOT NULL, problem TEXT NOT NULL);
"""
_CHUNK = 500
_HEADERS = frozenset({"etag", "last-modified", "link"})
_RIGHTS = ("licen", "copyright", "rights", "attribution")


class PictureLedger:
    """A SQLite file with the last reply of each address. Close it after use. Raises ResourceError."""

    def __init__(self, file: Path) -> None:
        self._database = Database(file)
        self._database.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def names(self, addresses: Sequence[str], folder: Path) -> dict[str, str]:
        """Return the names of fetched pictures by address, if they are still in the folder."""
        return {
            address: name
            for start in range(0, len(addresses), _CHUNK)
            for address, name in self._rows(addresses[start : start + _CHUNK])
            if (folder / name).is_file()
        }

    def keep(self, address: str, name: str, download: Download) -> None:
        """Record the file fetched from an address, with the headers about versions and rights, unchanged."""
        digest, kind = sha256(download.content).hexdigest(), download.headers.get("content-type", "")
        headers = json.dumps(dict(_told_headers(download.headers)), sort_keys=True)
        self._write(address, download.status, name, digest, kind, headers, "")

    def note_failure(self, address: str, status: int, problem: str) -> None:
        """Record why an address gave no picture."""
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


@dataclass(slots=True)
class PictureFetch:
    """A fetcher of pictures into a folder; without ``settings``, it only looks up those fetched before.

    ``problems`` gives the reason for each address that failed.
    """

    ledger: Path
    folder: Path
    settings: DownloadSettings | None = None
    progress: Progress = lambda *_: None
    problems: dict[str, str] = field(default_factory=dict)

    def names(self, addresses: Sequence[str]) -> Mapping[str, str]:
        """Return the names of saved pictures by address, fetching missing ones.

        Uses at most two connections at once. Raises ConfigError if the contact is missing, InputError if the disk is
        full.
        """
        if self.settings is None and not self.ledger.exists():
            return {}
        with closing(PictureLedger(self.ledger)) as ledger:
            names = ledger.names(addresses, self.folder)
            missing = [address for address in addresses if address not in names]
            if self.settings is not None and missing:
                for address in missing:
                    self.settings.require_contact(address)
                names |= _Fetching(self, ledger, missing).run(self.settings)
        return names


class _Fetching:
    """One fetch of a list of addresses, with the names saved so far and the progress."""

    def __init__(self, fetch: PictureFetch, ledger: PictureLedger, addresses: Sequence[str]) -> None:
        self._fetch, self._ledger = fetch, ledger
        self._addresses, self._number, self._done = iter(addresses), len(addresses), 0
        self._names: dict[str, str] = {}

    def run(self, settings: DownloadSettings) -> Mapping[str, str]:
        """Fetch all addresses and return the names by address."""
        pauses = Pauses()
        self._fetch.progress("fetch", 0, self._number)
        run(self._all([Downloader(settings, pauses) for _ in range(_CONNECTIONS)]))
        return self._names

    async def _all(self, downloaders: Sequence[Downloader]) -> None:
        await gather_all(self._take_turns(downloader) for downloader in downloaders)

    async def _take_turns(self, downloader: Downloader) -> None:
        async with downloader:
            for address in self._addresses:
                await self._fetch_one(downloader, address)
                self._done += 1
                self._fetch.progress("fetch", self._done, self._number)

    async def _fetch_one(self, downloader: Downloader, address: str) -> None:
        try:
            download = await downloader.get(address)
        except DownloadError as error:
            self._fail(address, error.status, str(error))
            return
        try:
            await asyncio.to_thread(require_picture, download.content, address)
            name = save_image(download.content, self._fetch.folder)
        except (PictureError, ValueError) as error:
            kind = download.headers.get("content-type", "")
            self._fail(address, download.status, f"not a picture, but {kind or 'something else'} ({error})")
        else:
            self._ledger.keep(address, name, download)
            self._names[address] = name

    def _fail(self, address: str, status: int, problem: str) -> None:
        self._ledger.note_failure(address, status, problem)
        self._fetch.problems[address] = problem


def with_pictures(rows: Iterable[SampleRow], fetch: PictureFetch | None, reading: FileReading) -> Iterator[SampleRow]:
    """Yield the rows with web addresses replaced by names of saved pictures, or by nothing if there is none.

    Pictures that are not available are counted in the notes of ``reading``.
    """
    kept = [SampleRow(Record(record.file, {}, record.line, record.item), sample) for record, sample in rows]
    addresses = tuple(dict.fromkeys(image for _, sample in kept for image in sample.images if is_address(image)))
    names = fetch.names(addresses) if fetch and addresses else {}
    keys = _keys(addresses, names)
    note = _FAILED if fetch and fetch.settings else _NOT_FETCHED
    for record, sample in kept:
        own = [image for image in sample.images if is_address(image)]
        reading.notes.update([] if all(image in names for image in own) else [note])
        yield SampleRow(record, _with_names(sample, names, keys) if own else sample)


def _keys(addresses: Iterable[str], names: Mapping[str, str]) -> Mapping[str, str]:
    """Return the annotation key of each saved picture: from its address, or from its saved name if ambiguous."""
    own = {address: image_id(re.split("[?#]", address)[0]) for address in addresses}
    counts = Counter(own.values())
    return {address: own[address] if counts[own[address]] == 1 else image_id(names[address]) for address in names}


def _with_names(sample: Sample, names: Mapping[str, str], keys: Mapping[str, str]) -> Sample:
    image, *more = (names.get(image, "") if is_address(image) else image for image in sample.images)
    is_own = not is_address(sample.image) or sample.image_id != image_id(sample.image)  # given by a column of the file
    key = sample.image_id if is_own else keys.get(sample.image, "")
    return replace(sample, image=image, more_images=tuple(more), image_id=key)
