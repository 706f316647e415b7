"""The picture of a row: a path, bytes, base64, a list of these, or a web address, fetched once and kept in a ledger."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from string import ascii_letters, digits, whitespace
from typing import Any, NamedTuple

from kbe_graph.datasets.format import ADDRESSES, FileReading, SampleRow
from kbe_graph.errors import PictureError
from kbe_graph.files.database import Database
from kbe_graph.files.http import WebClient, WebError, WebReply, WebSettings
from kbe_graph.files.image import IMAGE_ENDINGS, decode_base64, ending_of, image_id, require_picture, save_image
from kbe_graph.files.opening import MOST_ID
from kbe_graph.files.record import Record
from kbe_graph.types import Progress, Sample

_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_DATA = re.compile(r"\s*data:", re.IGNORECASE)
_BASE64 = frozenset(ascii_letters + digits + whitespace + "+/-_='\"")
_PATHS = ("path", "url", "src", "file_name")  # the fields of an object that names a picture
_SHORTEST = 65  # characters of a picture in base64; anything shorter is a name


def picture_cells(record: Record, columns: Sequence[str]) -> list[Any]:
    """Return all pictures of a row, from several columns and from lists. Raises DatasetError."""
    cells = [_members(record, column) for column in columns if record.has(column)]
    ranks = [(len(values), -number) for number, values in enumerate(cells)]
    # a column may repeat another, or a part of it
    larger = [[other for rank, other in zip(ranks, cells, strict=True) if rank > own] for own in ranks]
    return [
        value
        for values, others in zip(cells, larger, strict=True)
        if not any(all(value in other for value in values) for other in others)
        for value in values
    ]


def _members(record: Record, column: str) -> list[Any]:
    value = record.fields[column]
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = list(record.texts(column, most=None))
    values = value if isinstance(value, list) else [value]
    plain = [_plain(record, column, item) if isinstance(item, Mapping) else item for item in values]
    return [item for item in plain if item is not None and item not in ("", b"")]


def _plain(record: Record, column: str, value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return an object as ``{bytes, path}``, None if it is empty; raises DatasetError if it has no known field."""
    path = next((value[name] for name in _PATHS if value.get(name)), None)
    if value.get("bytes") or path:
        return {"bytes": value.get("bytes"), "path": path}
    if not value or {"bytes", *_PATHS} & value.keys():
        return None
    raise record.error(f"{column!r} holds no picture but {str(value)[:60]!r}; write its path or address")


def is_address(value: object) -> bool:
    """Return True if a cell contains a picture's web address instead of the picture."""
    return isinstance(value, str) and bool(_ADDRESS.match(value.strip()))


def address_of(record: Record) -> str:
    """Return the web address of a row's picture from the usual columns, or ``""``."""
    cells = (record.fields.get(column) for column in ADDRESSES)
    return next((str(cell).strip() for cell in cells if is_address(cell)), "")


def picture_name(record: Record, column: str, value: Any, folder: Path | None) -> str:
    """Return the path or address of a picture, or the name under which its bytes are saved in the folder.

    ``value`` is a path, bytes, Hugging Face's ``{bytes, path}``, or base64 with or without ``data:``.
    Raises DatasetError for bytes that are not a picture.
    """
    parts = value if isinstance(value, Mapping) else {"bytes": value, "path": value}
    content = parts.get("bytes")
    try:
        if isinstance(content, str) and (parts is value or is_base64(content)):
            content = decode_base64(content)
        if isinstance(content, bytes):
            return save_image(content, folder)
    except ValueError as error:
        raise record.error(f"{column!r} is {error}; found {str(value)[:20]!r}") from None
    if is_address(parts.get("path")):
        return str(parts["path"]).strip()
    return Record(record.file, {column: parts.get("path")}, record.line, record.item).optional(column)


def is_base64(text: str) -> bool:
    """Return True if a text is a base64 picture: it starts with ``data:``, is too long for a name, or decodes."""
    if _DATA.match(text):
        return True
    if len(text) < _SHORTEST or not _BASE64.issuperset(text):
        return False
    if len(text) > MOST_ID:
        return True
    try:
        save_image(decode_base64(text), None)
    except ValueError:
        return False
    return True


_NOT_FETCHED = "pictures given as addresses, not fetched (`fetch` fetches them)"
_FAILED = "pictures that could not be fetched, each for the reason above"
_CONNECTIONS = 2
_SCHEMA = """
CREATE TABLE IF NOT EXISTS picture (
  address TEXT PRIMARY KEY, fetched TEXT NOT NULL, status INTEGER NOT NULL, name TEXT NOT NULL, sha256 TEXT NOT NULL,
  type TEXT NOT NULL, headers TEXT NOT NULL, problem TEXT NOT NULL);
"""
_HEADERS = frozenset({"etag", "last-modified", "link"})
_RIGHTS = ("licen", "copyright", "rights", "attribution")


class Fetched(NamedTuple):
    """What an address gave: a saved picture with the reply's headers about versions and rights, or the problem."""

    status: int
    name: str = ""
    sha256: str = ""
    type: str = ""
    headers: str = "{}"
    problem: str = ""


@dataclass(slots=True)
class PictureFetch:
    """A fetcher of pictures into a folder; without ``settings``, it only looks up those fetched before.

    ``ledger`` is a SQLite file with the last reply of each address; ``problems`` gives the reason for each address that
    failed.
    """

    ledger: Path
    folder: Path
    settings: WebSettings | None = None
    progress: Progress = lambda *_: None
    problems: dict[str, str] = field(default_factory=dict)

    def names(self, addresses: Sequence[str]) -> Mapping[str, str]:
        """Return the names of saved pictures by address, fetching missing ones.

        Uses at most two connections at once. Raises ConfigError if the contact is missing, InputError if the folder
        cannot be written, ResourceError for a broken ledger.
        """
        if self.settings is None and not self.ledger.exists():
            return {}
        with closing(Database(self.ledger)) as ledger:
            ledger.executescript(_SCHEMA)
            kept = dict(ledger.execute("SELECT address, name FROM picture WHERE name <> ''"))
            names = {each: kept[each] for each in addresses if each in kept and (self.folder / kept[each]).is_file()}
            missing = [address for address in addresses if address not in names]
            if self.settings is not None and missing:
                for address in missing:
                    self.settings.require_contact(address)
                names |= self._fetch(self.settings, ledger, missing)
        return names

    def _fetch(self, settings: WebSettings, ledger: Database, addresses: Sequence[str]) -> dict[str, str]:
        names: dict[str, str] = {}
        pool = ThreadPoolExecutor(_CONNECTIONS, "kbe-fetch")
        with WebClient(settings, headers={"accept": "image/*", "accept-encoding": "identity"}) as client:
            try:
                waiting = iter(addresses)
                fetches = {pool.submit(client.ask, address): address for address in islice(waiting, _CONNECTIONS)}
                while fetches:  # what was fetched is saved before more is asked for
                    self.progress("fetch", len(names), len(addresses))
                    fetch = next(as_completed(fetches))
                    address = fetches.pop(fetch)
                    picture = self._saved(address, fetch)
                    now = datetime.now(UTC).isoformat(timespec="seconds")
                    with ledger:
                        ledger.execute(
                            "INSERT OR REPLACE INTO picture VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (address, now, *picture)
                        )
                    if picture.name:
                        names[address] = picture.name
                    else:
                        self.problems[address] = picture.problem
                    fetches |= {pool.submit(client.ask, more): more for more in islice(waiting, 1)}
            finally:
                pool.shutdown(cancel_futures=True)
        self.progress("fetch", len(addresses), len(addresses))
        return names

    def _saved(self, address: str, fetch: Future[WebReply]) -> Fetched:
        try:
            reply = fetch.result()
        except WebError as error:
            return Fetched(error.status, problem=str(error))
        kind = reply.headers.get("content-type", "")
        try:
            require_picture(reply.content, address)
            name = save_image(reply.content, self.folder)
        except (PictureError, ValueError) as error:
            why = error.problem if isinstance(error, PictureError) else error
            problem = f"not a picture, but {kind or 'something else'} ({why})"
            return Fetched(reply.status, problem=problem)
        told = {
            name: value
            for name, value in reply.headers.items()
            if name in _HEADERS or any(right in name for right in _RIGHTS)
        }
        return Fetched(reply.status, name, sha256(reply.content).hexdigest(), kind, json.dumps(told, sort_keys=True))


def with_pictures(rows: Iterable[SampleRow], fetch: PictureFetch | None, reading: FileReading) -> Iterator[SampleRow]:
    """Yield the rows with web addresses replaced by names of saved pictures, or by nothing if there is none.

    Pictures that are not available are counted in the notes of ``reading``.
    """
    kept = [SampleRow(Record(record.file, {}, record.line, record.item), sample) for record, sample in rows]
    addresses = tuple(dict.fromkeys(image for _, sample in kept for image in sample.images if is_address(image)))
    names = fetch.names(addresses) if fetch and addresses else {}
    keys = _keys({sample.image for _, sample in kept}, names, reading.paths)
    note = _FAILED if fetch and fetch.settings else _NOT_FETCHED
    for record, sample in kept:
        own = [image for image in sample.images if is_address(image)]
        reading.notes.update([] if all(image in names for image in own) else [note])
        yield SampleRow(record, _with_names(sample, names, keys))


def _keys(images: Iterable[str], names: Mapping[str, str], paths: Mapping[str, str]) -> Mapping[str, str]:
    """Return the ids of pictures: the names without folder and ending if these tell the pictures apart, else whole.

    ``paths`` are those of embedded pictures, by the names of their content.
    """
    called = {image: paths.get(image, image) for image in images}
    own = {image: image_id(re.split("[?#]", name)[0] if is_address(name) else name) for image, name in called.items()}
    counts = Counter(own.values())
    whole = {image: image_id(names.get(image, "")) if is_address(image) else image for image in own}
    whole |= {image: image_id(image) for image in paths}
    return {image: key if counts[key] == 1 else whole[image] for image, key in own.items()}


def _with_names(sample: Sample, names: Mapping[str, str], keys: Mapping[str, str]) -> Sample:
    image, *more = (names.get(image, "") if is_address(image) else image for image in sample.images)
    key = sample.image_id or ("" if is_address(sample.image) and not image else keys[sample.image])
    return replace(sample, image=image, more_images=tuple(more), image_id=key)


def holds_picture(value: object) -> bool:
    """Return True if a cell contains a picture: its bytes, or a name or address with the ending of one."""
    if isinstance(value, list):
        return any(map(holds_picture, value))
    if isinstance(value, Mapping):
        return any(map(holds_picture, value.values()))
    if isinstance(value, bytes):
        return ending_of(value) is not None
    if not isinstance(value, str):
        return False
    return Path(value[-MOST_ID:].partition("?")[0]).suffix.lower() in IMAGE_ENDINGS or is_base64(value)
