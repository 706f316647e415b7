"""Entities and labels from a JSON dump of Wikidata, archived so that the dump is not read twice for the same ids."""

import bz2
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from kbe_graph.errors import DatasetError
from kbe_graph.facts.wikidata.entity import english_label, named_ids
from kbe_graph.facts.wikidata.wikidata import Archive
from kbe_graph.files.opening import byte_lines, open_bytes
from kbe_graph.types import Progress
from kbe_graph.wiki.lookup import FetchedEntity

_BZIP2 = b"BZh"
# The entity's id precedes all other ids, so most lines need not be parsed as JSON.
_HEAD = re.compile(
    rb'\{(?:"pageid":\d+,"ns":\d+,"title":"[^"]*","lastrevid":\d+,"modified":"[^"]*",)?'
    rb'"type":"[a-z]+",(?:"datatype":"[a-z-]+",)?"id":"(?P<id>[A-Z]\d+)"'
)
_ENTITY, _LABEL = "entity of dump", "label of dump"


@dataclass(frozen=True, slots=True)
class DumpEntities:
    """Source of entities from a dump; ``prepare`` reads the dump up to twice for those not archived yet."""

    file: Path
    archive: Archive
    language: str = "en"
    progress: Progress = lambda *_: None

    def prepare(self, ids: Sequence[str]) -> None:
        """Archive the entities of ``ids`` and the labels of all entities they mention; raises DatasetError."""
        self._keep(_ENTITY, ids, lambda entity: entity)
        named = {id_ for each in self.entities(ids) if each.entity for id_ in named_ids(each.entity)}
        self._keep(_LABEL, sorted(named), lambda entity: english_label(entity, language=self.language))

    def entities(self, ids: Sequence[str]) -> Iterator[FetchedEntity]:
        """Yield the entities of ``ids``, with None for ids missing from the dump."""
        for id_, (fetched, entity) in self._kept(_ENTITY, ids):
            yield FetchedEntity(id_, entity, self.file.name, fetched[:10])

    def labels(self, ids: Iterable[str]) -> Mapping[str, str]:
        """Return the labels of ``ids``, without those that have none."""
        return {id_: text for id_, (_, text) in self._kept(_LABEL, tuple(ids)) if text}

    def _kept(self, question: str, ids: Sequence[str]) -> Iterator[tuple[str, tuple[str, Any]]]:
        hashes = self.archive.hashes(self._endpoint, question, ids)
        for id_ in ids:
            fetched, body = self.archive.answer(self._endpoint, hashes[id_])
            yield id_, (fetched, json.loads(body))

    def _keep(self, question: str, ids: Sequence[str], value_of: Callable[[Mapping[str, Any]], object]) -> None:
        endpoint = self._endpoint
        kept = self.archive.hashes(endpoint, question, ids)
        missing = dict.fromkeys(id_ for id_ in ids if id_ not in kept)
        for number, entity in enumerate(entities_of_dump(self.file, missing), 1):
            self._keep_value(question, entity["id"], value_of(entity))
            del missing[entity["id"]]
            self.progress(question, number, number + len(missing))
        for id_ in missing:
            self._keep_value(question, id_, None)

    def _keep_value(self, question: str, id_: str, value: object) -> None:
        self.archive.keep(self._endpoint, question, f"{question} {id_}", [id_], json.dumps(value))

    @property
    def _endpoint(self) -> str:
        """The archive's key for this dump, which changes with the file and the language."""
        status = self.file.stat()
        changed = datetime.fromtimestamp(status.st_mtime, UTC).isoformat(timespec="seconds")
        return f"{self.file.name} {status.st_size} {changed} {self.language}"


def entities_of_dump(file: Path, wanted: Collection[str]) -> Iterator[Mapping[str, Any]]:
    """Yield the wanted entities in the dump's order, stopping when all are found.

    The file is plain, gzip or bzip2, and one line at a time is held in memory. A dump does not contain ids that were
    merged into others. Raises DatasetError.
    """
    missing = set(wanted)
    if not missing:
        return
    with _open(file) as stream:
        for number, raw in enumerate(byte_lines(file, stream), 1):
            line = raw.strip().rstrip(b",").strip()
            if line in {b"", b"[", b"]"}:
                continue
            entity = _entity(file, number, line, missing)
            if entity is not None:
                missing.remove(entity["id"])
                yield entity
            if not missing:
                return


def _entity(file: Path, number: int, line: bytes, wanted: Collection[str]) -> Mapping[str, Any] | None:
    head = _HEAD.match(line)
    if head and head["id"].decode() not in wanted and line.endswith(b"}"):
        return None
    try:
        entity = json.loads(line)
    except (ValueError, RecursionError) as error:
        problem = f"not an entity ({type(error).__name__} in {line[:60]!r}); fetch the dump again"
        raise DatasetError(file, problem, line=number) from None
    if not isinstance(entity, dict) or not isinstance(entity.get("id"), str):
        problem = f"not an entity, but {line[:60]!r}; give a JSON dump of Wikidata's entities"
        raise DatasetError(file, problem, line=number)
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
