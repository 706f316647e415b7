"""Entities and labels of Wikidata, from its Action API or from a JSON dump; each is archived and read only once."""

import bz2
import json
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

from kbe_graph.errors import DatasetError, KbeWarning
from kbe_graph.facts.wikidata.entity import EntityJson, english_label, named_ids, read_item, read_statements
from kbe_graph.facts.wikidata.wikidata import Wikimedia
from kbe_graph.files.opening import byte_lines, open_bytes
from kbe_graph.wiki.corpus import check_language
from kbe_graph.wiki.mediawiki import WIKIDATA, ActionQuery, address_of, answers

_PROPS = {"entities": "info|labels|descriptions|aliases|claims|sitelinks", "labels": "labels"}
_LABELS = 200_000  # remembered at once, some 20 MB
_ID = re.compile(r"[PQ][1-9]\d{0,9}")
_HIGHEST = 2**31 - 1  # highest number of an id; a higher one would fail the whole request
_BZIP2 = b"BZh"
# The entity's id precedes all other ids, so most lines of a dump need not be parsed as JSON.
_HEAD = re.compile(
    rb'\{(?:"pageid":\d+,"ns":\d+,"title":"[^"]*","lastrevid":\d+,"modified":"[^"]*",)?'
    rb'"type":"[a-z]+",(?:"datatype":"[a-z-]+",)?"id":"(?P<id>[A-Z]\d+)"'
)


class FetchedEntity(NamedTuple):
    """An entity of Wikidata, None if there is none; if it was merged, its ``id`` differs from the one ``asked``.

    ``source`` is the address or file that replied, ``fetched`` the day.
    """

    asked: str
    entity: EntityJson | None
    source: str = ""
    fetched: str = ""


@dataclass(frozen=True, slots=True)
class WikidataEntities:
    """Entities and labels of Wikidata, with terms in a language or its fallbacks; raises SourceError.

    They come from a ``dump`` if there is one, which does not contain ids that were merged into others.
    """

    wiki: Wikimedia
    language: str = "en"
    dump: Path | None = None
    _texts: dict[str, str] = field(default_factory=dict)

    def prepare(self, ids: Sequence[str]) -> None:
        """Read ``ids`` and the labels of all that they name from the dump, if there is one; raises DatasetError."""
        if self.dump:
            self._read_dump(self.dump, "entities", ids)
            named = {name for each in self.entities(ids) if each.entity for name in named_ids(each.entity)}
            self._read_dump(self.dump, "labels", sorted(named))

    def entities(self, ids: Iterable[str]) -> Iterator[FetchedEntity]:
        """Yield the entities of ``ids`` (Q275, P18); one that cannot be read is None, with a warning."""
        for each in self._fetched("entities", ids):
            try:
                if each.entity:
                    read_item(each.entity)
                    read_statements(each.entity)
                yield each
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                problem = f"{each.asked} is left out: {each.source} describes it in a form that cannot be read"
                warnings.warn(f"{problem} ({type(error).__name__}: {error})", KbeWarning, stacklevel=3)
                yield each._replace(entity=None)

    def labels(self, ids: Iterable[str]) -> Mapping[str, str]:
        """Return the labels of ``ids``, without those that have none."""
        wanted = list(ids)
        if len(self._texts) > _LABELS:
            self._texts.clear()
        for each in self._fetched("labels", [id_ for id_ in wanted if id_ not in self._texts]):
            self._texts[each.asked] = english_label(each.entity or {}, language=self.language)
        return {id_: self._texts[id_] for id_ in wanted if self._texts[id_]}

    def _query(self, name: str) -> ActionQuery:
        parameters = {
            "action": "wbgetentities",
            "props": _PROPS[name],
            "languages": check_language(self.language),
            "languagefallback": "1",
            "redirects": "yes",
        }
        if self.dump:
            status = self.dump.stat()
            parameters["dump"] = f"{self.dump.name} {status.st_size} {status.st_mtime_ns}"
        return ActionQuery(WIKIDATA, name, parameters, "ids")

    def _fetched(self, name: str, ids: Iterable[str]) -> Iterator[FetchedEntity]:
        asked = {id_: bool(_ID.fullmatch(id_)) and int(id_[1:]) <= _HIGHEST for id_ in ids}
        yield from (FetchedEntity(id_, None) for id_, is_valid in asked.items() if not is_valid)
        address = address_of(self.wiki.settings, WIKIDATA)
        for answer in answers(self.wiki, self._query(name), (id_ for id_, is_valid in asked.items() if is_valid)):
            by_id = {id_: entity for part in answer.parts for id_, entity in part.get("entities", {}).items()}
            source = answer.parts[0].get("source", address)
            for id_ in answer.subjects:
                entity = by_id.get(id_)
                is_there = isinstance(entity, Mapping) and "missing" not in entity
                yield FetchedEntity(id_, entity if is_there else None, source, answer.fetched)

    def _read_dump(self, file: Path, name: str, ids: Sequence[str]) -> None:
        """Keep the entities of a dump in the archive, as though the Action API had sent them."""
        archive, key, address = self.wiki.archive, self._query(name).key, address_of(self.wiki.settings, WIKIDATA)

        def keep(id_: str, entity: EntityJson) -> None:
            body = json.dumps([{"entities": {id_: entity}, "source": file.name}])
            archive.keep(address, key, f"{key} {id_}", [id_], body)

        kept = archive.hashes(address, key, ids)
        missing = dict.fromkeys(id_ for id_ in ids if id_ not in kept)
        for number, entity in enumerate(entities_of_dump(file, missing), 1):
            keep(entity["id"], entity if name == "entities" else {"labels": entity.get("labels")})
            del missing[entity["id"]]
            self.wiki.progress(f"{name} of dump", number, number + len(missing))
        for id_ in missing:
            keep(id_, {"missing": ""})


def entities_of_dump(file: Path, wanted: Collection[str]) -> Iterator[EntityJson]:
    """Yield the wanted entities in the dump's order, stopping when all are found.

    The file is plain, gzip or bzip2, and one line at a time is held in memory. Raises DatasetError.
    """
    missing = set(wanted)
    if not missing:
        return
    with _open(file) as stream:
        for number, raw in enumerate(byte_lines(file, stream), 1):
            line = raw.strip().rstrip(b",").strip()
            head = _HEAD.match(line)
            if line in {b"", b"[", b"]"} or (head and head["id"].decode() not in missing):
                continue
            entity = _entity(file, number, line)
            if entity["id"] in missing:
                missing.remove(entity["id"])
                yield entity
            if not missing:
                return


def _entity(file: Path, number: int, line: bytes) -> EntityJson:
    try:
        entity = json.loads(line)
    except (ValueError, RecursionError):
        entity = None
    if not isinstance(entity, dict) or not isinstance(entity.get("id"), str):
        problem = f"not an entity of Wikidata, but {line[:60]!r}; fetch the dump again"
        raise DatasetError(file, problem, line=number)
    return entity


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
