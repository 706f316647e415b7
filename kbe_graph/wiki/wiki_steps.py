"""The first steps of a benchmark from Wikipedia: pictures read, items found, statements fetched and filtered."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from kbe_graph.config import Config, contact_setting
from kbe_graph.facts.wikidata.entity import named_ids, read_item, read_statements
from kbe_graph.facts.wikidata.sparql import WikidataSettings
from kbe_graph.facts.wikidata.statement_filters import WIKIMEDIA_KINDS, StatementFilters, filter_statements
from kbe_graph.facts.wikidata.wikidata import FILE, Archive
from kbe_graph.folder import Folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.store import Store
from kbe_graph.types import PagePicture, WikiItem, WikiStatement
from kbe_graph.wiki.corpus import NO_PICTURE, read_corpus, with_file
from kbe_graph.wiki.dump_source import DumpSource
from kbe_graph.wiki.entity_source import FetchedEntity, entities, labels
from kbe_graph.wiki.mediawiki import WIKIMEDIA, MediaWiki
from kbe_graph.wiki.page_items import items_of_pages, with_items
from kbe_graph.wiki.page_name import PageName

T = TypeVar("T")
WIKIMEDIA_PAGE, GONE = "the item is a page of Wikimedia", "no such item"
IMAGE = "P18"
MOST = 5_000
"""How many items are asked about at each hop after the first."""
_BATCH, _ENTITIES = 500, 50
_ALL = 1_000_000  # rows


@dataclass(frozen=True, slots=True)
class WikiStep:
    """The outcome of a step: the number of ``things`` in total, and of those left out, by reason.

    ``new`` is the number that this call added. ``awaits`` lists the files of calls that wait for replies.
    """

    name: str
    things: str
    kept: int
    new: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    awaits: tuple[Path, ...] = ()

    def as_mapping(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return asdict(self) | {"awaits": [str(file) for file in self.awaits]}


class Wikimedia(NamedTuple):
    """How to call Wikimedia. Fields that are None come from the environment or ``kbe.toml``."""

    contact: str | None = None
    server: str | None = None
    language: str | None = None
    offline: bool = False

    def spoken(self, config: Config) -> str:
        """Return the language of captions and labels."""
        return str(self.language or config.section("wiki").get("language", "en"))

    def settings(self, config: Config) -> WikidataSettings:
        """Return where and how Wikimedia is asked; raises ConfigError."""
        return WikidataSettings(
            contact_setting(config, os.environ, self.contact),
            str(self.server or config.section("wiki").get("server", WIKIMEDIA)),
            self.offline,
        )


def open_archive(folder: Folder) -> Archive:
    """Open the answers of Wikidata and Wikimedia that are kept in a workspace."""
    return Archive(folder.hidden / FILE)


def in_batches(items: Iterable[T], size: int = _BATCH) -> Iterator[list[T]]:
    """Give the items in lists of at most ``size``."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def read_pictures(access: GraphAccess, file: Path, language: str, *, main_only: bool, number: int | None) -> WikiStep:
    """Read a corpus into the graph; a picture that is there stays as it is. Raises DatasetError and InputError."""
    store, left_out = access.store, Counter[str]()
    kept = new = 0
    with access.reporter as reporter:
        for batch in in_batches(read_corpus(file, main_only=main_only, number=number, language=language)):
            present = {picture.id for picture in store.pictures(ids=[picture.id for picture in batch])}
            fresh = list({picture.id: picture for picture in batch if picture.id not in present}.values())
            store.save_pictures(fresh)
            left_out.update(picture.reason for picture in batch if picture.reason)
            kept += sum(not picture.reason for picture in batch)
            new += sum(not picture.reason for picture in fresh)
            reporter("corpus", kept, kept)
    return WikiStep("corpus", "pictures", kept, new, dict(left_out.most_common()))


def find_items(access: GraphAccess, wikimedia: Wikimedia) -> WikiStep:
    """Find the items of the pages of pictures, and keep them with the pictures; raises SourceError and ConfigError."""
    store = access.store
    waiting = [picture for picture in store.pictures(reason="") if not picture.item]
    pages = dict.fromkeys(PageName(picture.language, picture.title) for picture in waiting)
    with access.reporter as reporter, open_archive(access.folder) as archive:
        wiki = MediaWiki(archive, wikimedia.settings(access.folder.config), reporter) if pages else None
        for batch in in_batches(pages):
            chosen, items = set(batch), items_of_pages(wiki, batch) if wiki else {}
            own = (each for each in waiting if PageName(each.language, each.title) in chosen)
            store.save_pictures(list(with_items(own, items)))
    pictures = store.pictures()
    kept = sum(not picture.reason and bool(picture.item) for picture in pictures)
    left_out = Counter(picture.reason for picture in pictures if picture.reason)
    return WikiStep("items", "pictures with an item", kept, len(waiting), dict(left_out.most_common()))


class EntitySource(Protocol):
    """Where entities come from: Wikidata, or a dump, which ``prepare`` reads for those that are wanted."""

    def prepare(self, ids: Sequence[str]) -> None:
        """Make the entities of these ids ready."""

    def entities(self, ids: Sequence[str]) -> Iterator[FetchedEntity]:
        """Give the entities of ids."""
        ...

    def labels(self, ids: Iterable[str]) -> Mapping[str, str]:
        """Return the labels of ids, without those that have none."""
        ...


class _Wikidata(NamedTuple):
    wiki: MediaWiki
    language: str

    def prepare(self, ids: Sequence[str]) -> None:
        """They are asked for when they are needed."""

    def entities(self, ids: Sequence[str]) -> Iterator[FetchedEntity]:
        return entities(self.wiki, ids, self.language)

    def labels(self, ids: Iterable[str]) -> Mapping[str, str]:
        return labels(self.wiki, ids, self.language)


def fetch_statements(access: GraphAccess, wikimedia: Wikimedia, *, hops: int = 1, dump: Path | None = None) -> WikiStep:
    """Fetch the statements of the items of pictures, and of those that these lead to; filter and save them.

    Items whose statements are there are not fetched again. Raises SourceError, DatasetError and ConfigError.
    """
    store, config = access.store, access.folder.config
    new, language = 0, wikimedia.spoken(config)
    with access.reporter as reporter, open_archive(access.folder) as archive:
        source: EntitySource = (
            _Wikidata(MediaWiki(archive, wikimedia.settings(config), reporter), language)
            if dump is None
            else DumpSource(dump, archive, language, reporter)
        )
        ids = _items_of_pictures(store)
        for hop in range(1, hops + 1):
            present = store.fetched_items()
            missing = [item for item in ids if item not in present]
            source.prepare(missing)
            merged: dict[str, str] = {}
            for number, batch in enumerate(in_batches(missing, _ENTITIES)):
                new += _save_entities(store, source, batch, language, merged)
                reporter(f"statements {hop}", number * _ENTITIES + len(batch), len(missing))
            if hop == 1:
                _note_entities(store, merged)
                ids = _items_of_pictures(store)
            ids = _leads(store, ids) if hop < hops else []
    _finish_pictures(store)
    return WikiStep("statements", "statements", store.status()["wiki"]["statements kept"], new)


def _items_of_pictures(store: Store) -> list[str]:
    return sorted({picture.item for picture in store.pictures(reason="") if picture.item}, key=_number)


def _number(item: str) -> int:
    return int(item[1:])


def _leads(store: Store, ids: Sequence[str]) -> list[str]:
    """Return the items that statements which pass the usual filters lead to, those first that most lead to.

    What other filters made of the statements since makes no difference, so that a later call finds the same items.
    """
    counts: Counter[str] = Counter()
    for item, statements in chain.from_iterable(_stored(store, batch) for batch in in_batches(ids)):
        passed = filter_statements(item, statements, StatementFilters())
        counts.update({statement.target for statement in passed if statement.kept and statement.target})
    return sorted(counts, key=lambda item: (-counts[item], _number(item)))[:MOST]


def _stored(store: Store, ids: Sequence[str]) -> Iterator[tuple[WikiItem, Sequence[WikiStatement]]]:
    items = store.items(ids)
    return ((items[item], statements) for item, statements in store.item_statements(ids, kept=None).items())


def _save_entities(
    store: Store, source: EntitySource, ids: Sequence[str], language: str, merged: dict[str, str]
) -> int:
    """Save the entities of ids with their statements, and return how many statements there are.

    ``merged`` is told the item that another was merged into, and that one is gone (empty).
    """
    fetched = [(each, each.entity) for each in source.entities(ids) if each.entity is not None]
    named = source.labels(sorted(set(chain.from_iterable(named_ids(entity) for _, entity in fetched))))
    items: list[WikiItem] = []
    statements: list[WikiStatement] = []
    for each, entity in fetched:
        items.append(read_item(entity, named, language=language, source=each.source, fetched=each.fetched))
        own = read_statements(entity, named, language=language)
        statements += filter_statements(items[-1], own, StatementFilters())
    store.save_items(items, statements)
    now = {each.asked: str(entity["id"]) for each, entity in fetched}
    merged.update((item, now.get(item, "")) for item in ids if now.get(item) != item)
    return len(statements)


def _note_entities(store: Store, merged: Mapping[str, str]) -> None:
    """Let pictures have the items that theirs were merged into, and leave out those whose item is no thing or gone.

    All pictures are looked at, so that one whose item was saved just before the end of this program is noted as well.
    """
    for batch in in_batches(picture for picture in store.pictures(reason="") if picture.item):
        items = [merged.get(picture.item, picture.item) for picture in batch]
        pages = _pages_of_wikimedia(store, sorted({item for item in items if item}))
        reasons = {"": GONE} | dict.fromkeys(pages, WIKIMEDIA_PAGE)
        changed = [
            replace(picture, item=item or picture.item, reason=reasons.get(item, ""))
            for picture, item in zip(batch, items, strict=True)
            if item != picture.item or item in reasons
        ]
        store.save_pictures(changed)


def _pages_of_wikimedia(store: Store, ids: Sequence[str]) -> dict[str, Sequence[str]]:
    items = chain.from_iterable(store.items(batch).items() for batch in in_batches(ids))
    return {id_: item.kinds for id_, item in items if not WIKIMEDIA_KINDS.isdisjoint(item.kinds)}


def _finish_pictures(store: Store) -> None:
    for batch in in_batches(each for each in store.pictures(reason="") if each.item and not each.image):
        own = store.item_statements([picture.item for picture in batch], kept=None)
        store.save_pictures([_with_file(picture, own.get(picture.item, ())) for picture in batch])


def _with_file(picture: PagePicture, statements: Iterable[WikiStatement]) -> PagePicture:
    named = (each for each in statements if each.property_id == IMAGE and each.best and each.raw)
    name = next((str(json.loads(statement.raw)) for statement in named), "")
    return replace(with_file(picture, name), id=picture.id) if name else replace(picture, reason=NO_PICTURE)


def filter_triples(access: GraphAccess, *, paper_filters: bool, strict: bool, support: int | None) -> WikiStep:
    """Filter the statements that are there anew, and keep the reasons; nothing is fetched."""
    store, reasons = access.store, Counter[str]()
    ids = sorted(store.fetched_items(), key=_number)
    filters = StatementFilters(
        paper_filters=paper_filters,
        strict=strict,
        min_support=support,
        counts={row[0]: row[3] for row in store.query("predicate_frequency", {"limit": _ALL}).rows},
        counted=len(ids),
        kinds=_pages_of_wikimedia(store, ids),
    )
    kept = new = 0
    with access.reporter as reporter:
        for number, batch in enumerate(in_batches(ids)):
            changed = []
            for item, before in _stored(store, batch):
                after = filter_statements(item, before, filters)
                changed += [now for was, now in zip(before, after, strict=True) if was.reasons != now.reasons]
                reasons.update(chain.from_iterable(statement.reasons for statement in after))
                kept += sum(statement.kept for statement in after)
            store.update_reasons(changed)
            new += sum(statement.kept for statement in changed)
            reporter("triples", number * _BATCH + len(batch), len(ids))
    return WikiStep("triples", "kept statements", kept, new, dict(reasons.most_common()))
