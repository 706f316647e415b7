"""Entities and labels of a dump, archived like replies so that the dump is not read twice for the same ids."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kbe_graph.facts.wikidata.entity import named_ids
from kbe_graph.facts.wikidata.wikidata import Archive
from kbe_graph.types import Progress
from kbe_graph.wiki.dump import entities_of_dump, labels_of_dump
from kbe_graph.wiki.entity_source import FetchedEntity

_ENTITY, _LABEL = "entity of dump", "label of dump"


@dataclass(frozen=True, slots=True)
class DumpSource:
    """Source of entities from a dump; ``prepare`` reads the dump up to twice for those not archived yet."""

    file: Path
    archive: Archive
    language: str = "en"
    progress: Progress = lambda *_: None

    def prepare(self, ids: Sequence[str]) -> None:
        """Archive the entities of ``ids`` and the labels of all entities they mention; raises DatasetError."""
        self._keep(_ENTITY, ids, lambda wanted: ((each["id"], each) for each in entities_of_dump(self.file, wanted)))
        named = set[str]()
        for each in self.entities(ids):
            named |= named_ids(each.entity or {"id": each.asked})
        self._keep(_LABEL, sorted(named), lambda wanted: labels_of_dump(self.file, wanted, self.language).items())

    def entities(self, ids: Sequence[str]) -> Iterator[FetchedEntity]:
        """Yield the entities of ``ids`` like ``entity_source.entities``, with None for ids missing from the dump."""
        hashes = self.archive.hashes(self._endpoint, _ENTITY, ids)
        for id_ in ids:
            fetched, body = self.archive.answer(self._endpoint, hashes[id_])
            yield FetchedEntity(id_, json.loads(body), self.file.name, fetched[:10])

    def labels(self, ids: Iterable[str]) -> Mapping[str, str]:
        """Return the labels of ``ids``, without those that have none."""
        hashes = self.archive.hashes(self._endpoint, _LABEL, tuple(ids))
        texts = {id_: json.loads(self.archive.answer(self._endpoint, name)[1]) for id_, name in hashes.items()}
        return {id_: text for id_, text in texts.items() if text}

    def _keep(
        self, question: str, ids: Sequence[str], read: Callable[[Sequence[str]], Iterable[tuple[str, object]]]
    ) -> None:
        kept = self.archive.hashes(self._endpoint, question, ids)
        missing = [id_ for id_ in ids if id_ not in kept]
        if not missing:
            return
        read_ids = set[str]()
        for number, (id_, value) in enumerate(read(missing), 1):
            read_ids.add(id_)
            self.archive.keep(self._endpoint, question, f"{question} {id_}", [id_], json.dumps(value))
            self.progress(question, number, len(missing))
        for id_ in missing:
            if id_ not in read_ids:
                self.archive.keep(self._endpoint, question, f"{question} {id_}", [id_], "null")

    @property
    def _endpoint(self) -> str:
        """The archive's key for this dump, which changes with the file and the language."""
        status = self.file.stat()
        changed = datetime.fromtimestamp(status.st_mtime, UTC).isoformat(timespec="seconds")
        return f"{self.file.name} {status.st_size} {changed} {self.language}"
