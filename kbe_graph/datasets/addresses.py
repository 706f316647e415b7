"""Rows whose picture is an address: the name of the saved picture takes its place."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from kbe_graph.datasets.format import FileReading, SampleRow
from kbe_graph.datasets.picture import is_address
from kbe_graph.datasets.picture_fetch import PictureFetch
from kbe_graph.files.image import image_id
from kbe_graph.files.record import Record
from kbe_graph.types import Sample

_NOT_FETCHED = "pictures that are addresses, not fetched (`fetch=True` fetches them)"
_FAILED = "pictures that could not be fetched (run the same again)"


def with_pictures(rows: Iterable[SampleRow], fetch: PictureFetch | None, reading: FileReading) -> Iterator[SampleRow]:
    """Yield the rows with the names of saved pictures for addresses, and nothing for those that are not there.

    The second are counted in the notes of ``reading``.
    """
    kept = [SampleRow(Record(record.file, {}, record.line, record.item), sample) for record, sample in rows]
    addresses = tuple(dict.fromkeys(sample.image for _, sample in kept if is_address(sample.image)))
    names = fetch.names(addresses) if fetch and addresses else {}
    keys = _keys(addresses, names)
    note = _FAILED if fetch and fetch.settings else _NOT_FETCHED
    for record, sample in kept:
        if is_address(sample.image):
            reading.notes.update([] if sample.image in names else [note])
            sample = _with_picture(sample, names.get(sample.image, ""), keys.get(sample.image, ""))  # noqa: PLW2901
        yield SampleRow(record, sample)


def _keys(addresses: Iterable[str], names: Mapping[str, str]) -> Mapping[str, str]:
    """Return the key by which annotations find each saved picture: its name there, or here where others bear it too."""
    own = {address: image_id(re.split("[?#]", address)[0]) for address in addresses}
    counts = Counter(own.values())
    return {address: own[address] if counts[own[address]] == 1 else image_id(names[address]) for address in names}


def _with_picture(sample: Sample, name: str, key: str) -> Sample:
    is_own = sample.image_id != image_id(sample.image)  # a column of the file said it
    return replace(sample, image=name, image_id=sample.image_id if is_own else key)
