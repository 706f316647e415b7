"""The pictures of a page: each once, made as small as it takes for all of them to fit."""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

from kbe_graph.errors import PictureError
from kbe_graph.models.images import Encoding, encode_jpeg
from kbe_graph.pages.report_values import ReportItem

MOST_BYTES = 32 << 20  # of all pictures in a page
SIDES = (480, 384, 320, 256, 192, 128)  # pixels, the longest side
_QUALITY = 60
_TRIED = 24  # pictures that a side is judged by


def number_pictures(items: Sequence[ReportItem]) -> tuple[list[Path], Mapping[str, int]]:
    """Return the files of the pictures, each once, and by the id of each sample the number of its picture."""
    numbers: dict[Path, int] = {}
    by_sample = {
        item.sample.id: numbers.setdefault(item.picture, len(numbers)) for item in items if item.picture is not None
    }
    return list(numbers), by_sample


def encode_pictures(files: Sequence[Path], most_bytes: int = MOST_BYTES) -> Iterator[tuple[int, str]]:
    """Give the pictures with their numbers as JPEG in base64: of the largest side at which all are likely to fit.

    What still does not fit is left out, as is what is no picture.
    """
    encoding = _fitting(files, most_bytes)
    size = 0
    with ThreadPoolExecutor() as pool:
        for number, text in enumerate(pool.map(lambda file: _encode(file, encoding), files)):
            size += len(text)
            if size > most_bytes:
                pool.shutdown(cancel_futures=True)
                return
            if text:
                yield number, text


def picture_parts(pictures: Iterable[tuple[int, str]], size: int) -> Iterator[str]:
    """Give numbered pictures as JSON lists of so many, in order; one that is left out is null."""
    for _, group in groupby(_without_gaps(pictures), key=lambda numbered: numbered[0] // size):
        yield json.dumps([picture for _, picture in group])


def _without_gaps(pictures: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str | None]]:
    due = 0
    for number, picture in pictures:
        yield from ((gap, None) for gap in range(due, number))
        yield number, picture
        due = number + 1


def _fitting(files: Sequence[Path], most_bytes: int) -> Encoding:
    tried = files[:: max(1, len(files) // _TRIED)]
    for side in SIDES:
        encoding = Encoding(side, _QUALITY)
        if sum(len(_encode(file, encoding)) for file in tried) * len(files) <= most_bytes * len(tried):
            break
    return encoding


def _encode(file: Path, encoding: Encoding) -> str:
    try:
        return base64.b64encode(encode_jpeg(file, encoding)).decode("ascii")
    except PictureError:
        return ""
