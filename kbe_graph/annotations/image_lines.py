"""Lines of image id, tab, JSON list: the shape in which captions and tags of an image are often shared."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from kbe_graph.errors import DatasetError
from kbe_graph.files.image import image_id
from kbe_graph.files.opening import first_bytes, first_line
from kbe_graph.files.record import Record


def first_mark(file: Path) -> str:
    """Return the first character of a file that is not space: ``{`` or ``[`` for JSON; raises DatasetError."""
    mark = first_line(first_bytes(file)).lstrip()[:1]
    if not mark:
        raise DatasetError(file, "is empty; give an annotation file")
    return mark


def image_lines(
    lines: Iterable[tuple[int, str]], file: Path, wanted: set[str] | None = None
) -> Iterator[tuple[str, Sequence[Record]]]:
    """Return each wanted image's key with the objects of its list; other lines are not parsed. Raises DatasetError."""
    for number, line in lines:
        name, tab, text = line.partition("\t")
        if not tab and line.strip():
            raise DatasetError(file, f"no tab after the image id; found {line[:60]!r}", line=number)
        key = image_id(name.strip())
        if tab and (wanted is None or key in wanted):
            yield key, [Record(file, fields, number) for fields in _objects(text, file, number)]


def _objects(text: str, file: Path, number: int) -> list[dict[str, Any]]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DatasetError(file, f"not JSON after the tab ({error}); mend or delete it", line=number) from None
    if not (isinstance(value, list) and all(isinstance(item, dict) for item in value)):
        raise DatasetError(file, f"a list of objects was expected after the tab; found {text[:60]!r}", line=number)
    return value
