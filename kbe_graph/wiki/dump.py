"""Line-by-line reader of JSON dumps of Wikidata's entities, compressed or not."""

import bz2
import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from kbe_graph.errors import DatasetError
from kbe_graph.facts.wikidata.entity import english_label
from kbe_graph.files.opening import byte_lines, open_bytes
from kbe_graph.files.stream import json_fault

_BZIP2 = b"BZh"
# The entity's id precedes all other ids, so most lines need not be parsed as JSON.
_HEAD = re.compile(
    rb'\{(?:"pageid":\d+,"ns":\d+,"title":"[^"]*","lastrevid":\d+,"modified":"[^"]*",)?'
    rb'"type":"[a-z]+",(?:"datatype":"[a-z-]+",)?"id":"(?P<id>[A-Z]\d+)"'
)


def entities_of_dump(file: Path, wanted: Collection[str]) -> Iterator[Mapping[str, Any]]:
    """Yield the wanted entities in the dump's order, stopping when all are found.

    The file is plain, gzip or bzip2, and one line at a time is held in memory. A dump does not contain ids that were
    merged into others. Raises DatasetError.
    """
    missing = set(wanted)
    with _open(file) as stream:
        for number, raw in enumerate(byte_lines(file, stream) if missing else (), 1):
            line = raw.strip().rstrip(b",")
            if line.strip() in {b"", b"[", b"]"}:
                continue
            entity = _entity(file, number, line, missing)
            if entity is not None:
                missing.remove(entity["id"])
                yield entity
            if not missing:
                return


def labels_of_dump(file: Path, wanted: Collection[str], language: str = "en") -> Mapping[str, str]:
    """Return the labels of ids in a language or its fallbacks; ids without a label are left out.

    Raises DatasetError.
    """
    labels = {entity["id"]: english_label(entity, language=language) for entity in entities_of_dump(file, wanted)}
    return {id_: label for id_, label in labels.items() if label}


def _entity(file: Path, number: int, line: bytes, wanted: Collection[str]) -> Mapping[str, Any] | None:
    head = _HEAD.match(line)
    if head and head["id"].decode() not in wanted and line.endswith(b"}"):
        return None
    try:
        entity = json.loads(line)
    except json.JSONDecodeError as error:
        problem = f"not an entity ({json_fault(error)} at column {error.colno}); fetch the dump again"
        raise DatasetError(file, problem, line=number) from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise DatasetError(file, f"not an entity ({type(error).__name__}); fetch the dump again", line=number) from None
    if not isinstance(entity, dict) or not isinstance(entity.get("id"), str):
        raise DatasetError(
            file, f"not an entity, but {line[:60]!r}; give a JSON dump of Wikidata's entities", line=number
        )
    return entity if entity["id"] in wanted else None


@contextmanager
def _open(file: Path) -> Iterator[IO[bytes]]:
    """Open a dump for reading its uncompressed content; raises DatasetError, also while reading."""
    with open_bytes(file) as stream:
        if stream.peek(len(_BZIP2))[: len(_BZIP2)] != _BZIP2:
            yield stream
            return
        try:
            with bz2.open(stream) as content:
                yield content
        except (EOFError, OSError) as error:
            raise DatasetError(file, f"broken bzip2 ({error}); fetch the file again") from None
