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
    addresses = tuple(dict.fromkeys(image for _, sample in kept for image in sample.images if is_address(image)))
    names = fetch.names(addresses) if fetch and addresses else {}
    keys = _keys(addresses, names)
    note = _FAILED if fetch and fetch.settings else _NOT_FETCHED
    for record, sample in kept:
        own = [image for image in sample.images if is_address(image)]
        reading.notes.update([] if all(image in names for image in own) else [note])
        yield SampleRow(record, _with_names(sample, names, keys) if own else sample)


def _keys(addresses: Iterable[str], names: Mapping[str, str]) -> Mapping[str, str]:
    """Return the key by which annotations find each saved picture: its name there, or here where others bear it too."""
    own = {address: image_id(re.split("[?#]", address)[0]) for address in addresses}
    counts = Counter(own.values())
    return {address: own[address] if counts[own[address]] == 1 else image_id(names[address]) for address in names}


def _with_names(sample: Sample, names: Mapping[str, str], keys: Mapping[str, str]) -> Sample:
    image, *more = (names.get(image, "") if is_address(image) else image for image in sample.images)
    is_own = not is_address(sample.image) or sample.image_id != image_id(sample.image)  # a column of the file said it
    key = sample.image_id if is_own else keys.get(sample.image, "")
    return replace(sample, image=image, more_images=tuple(more), image_id=key)
