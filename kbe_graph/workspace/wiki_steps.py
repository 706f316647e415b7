"""The first steps of a benchmark from Wikipedia: pictures read, items found, statements fetched and filtered."""

import json
import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from kbe_graph.config import Config, contact_setting
from kbe_graph.execute.executor import batches
from kbe_graph.facts.wikidata.entity import named_ids, read_item, read_statements
from kbe_graph.facts.wikidata.sparql import SparqlEndpoint, WikidataSettings, wikidata_settings
from kbe_graph.facts.wikidata.statement_filters import WIKIMEDIA_KINDS, StatementFilters, filter_statements
from kbe_graph.facts.wikidata.wikidata import FILE, Archive, Wikidata
from kbe_graph.folder import Folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.store import Store
from kbe_graph.types import PagePicture, Progress, WikiItem, WikiStatement
from kbe_graph.wiki.corpus import NO_PICTURE, read_corpus, with_file
from kbe_graph.wiki.dump_source import DumpSource
from kbe_graph.wiki.entity_source import FetchedEntity, entities, labels
from kbe_graph.wiki.mediawiki import WIKIMEDIA, MediaWiki
from kbe_graph.wiki.page_items import NO_ITEM, PageItem, items_by_sitelink, items_of_pages, with_items
from kbe_graph.wiki.page_name import PageName
from kbe_graph.workspace.wiki_step import Wikimedia, WikiStep

WIKIMEDIA_PAGE, GONE = "the item is a page of Wikimedia", "no such item"
IMAGE = "P18"
MOST = 5_000
"""How many items are asked about at each hop after the first."""
_BATCH, _ENTITIES = 500, 50
_LABELS = 200_000  # remembered at once, some 20 MB
_ALL = 1_000_000  # rows


def language_of(wikimedia: Wikimedia, config: Config) -> str:
    """Return the language of captions and labels."""
    return str(wikimedia.language or config.section("wiki").get("language", "en"))


def wiki_settings(wikimedia: Wikimedia, config: Config) -> WikidataSettings:
    """Return where and how Wikimedia is asked; raises ConfigError."""
    return WikidataSettings(
        contact_setting(config, os.environ, wikimedia.contact),
        str(wikimedia.server or config.section("wiki").get("server", WIKIMEDIA)),
        wikimedia.offline,
    )


def open_archive(folder: Folder) -> Archive:
    """Open the answers of Wikidata and Wikimedia that are kept in a workspace."""
    return Archive(folder.hidden / FILE)


def read_pictures(access: GraphAccess, file: Path, language: str, *, main_only: bool, number: int | None) -> WikiStep:
    """Read a corpus into the graph; a picture that is there stays as it is. Raises DatasetError and InputError."""
    store = access.store
    left_out: Counter[str] = Counter()
    kept = new = 0
    pictures = read_corpus(file, main_only=main_only, number=number, language=language)
    with access.reporter as reporter:
        for batch in _in_batches(pictures):
            present = {picture.id for picture in store.pictures(ids=[picture.id for picture in batch])}
            fresh = list({picture.id: picture for picture in batch if picture.id not in present}.values())
            store.save_pictures(fresh)
            left_out.update(picture.reason for picture in batch if picture.reason)
            kept += sum(not picture.reason for picture in batch)
            new += sum(not picture.reason for picture in fresh)
            reporter("corpus", kept, kept)
    return WikiStep("corpus", "pictures", kept, new, _by_count(left_out))


def _in_batches(pictures: Iterable[PagePicture]) -> Iterator[list[PagePicture]]:
    batch: list[PagePicture] = []
    for picture in pictures:
        batch.append(picture)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _by_count(counts: Counter[str]) -> dict[str, int]:
    return dict(counts.most_common())


def find_items(access: GraphAccess, wikimedia: Wikimedia, *, sitelinks: bool) -> WikiStep:
    """Find the items of the pages of pictures, and keep them with the pictures; raises SourceError and ConfigError."""
    store, config = access.store, access.folder.config
    waiting = [picture for picture in store.pictures(reason="") if not picture.item]
    pages = list(dict.fromkeys(PageName(picture.language, picture.title) for picture in waiting))
    with access.reporter as reporter, open_archive(access.folder) as archive:
        for _, batch in batches(pages, _BATCH):
            chosen = set(batch)
            if sitelinks:
                items = _by_sitelinks(archive, config, wikimedia, batch, reporter)
            else:
                items = items_of_pages(MediaWiki(archive, wiki_settings(wikimedia, config), reporter), batch)
            own = (each for each in waiting if PageName(each.language, each.title) in chosen)
            store.save_pictures(list(with_items(own, items)))
    return _picture_step(store, "items", new=len(waiting))


def _by_sitelinks(
    archive: Archive, config: Config, wikimedia: Wikimedia, pages: Sequence[PageName], progress: Progress
) -> Mapping[PageName, PageItem]:
    settings = wikidata_settings(
        config, os.environ, contact=wikimedia.contact, endpoint=wikimedia.server, offline=wikimedia.offline
    )
    wikidata = Wikidata(archive, SparqlEndpoint(settings), progress)
    by_page: dict[PageName, PageItem] = {}
    for language in dict.fromkeys(page.language for page in pages):
        titles = [page.title for page in pages if page.language == language]
        items = items_by_sitelink(wikidata, titles, language)
        for title in titles:
            item = items.get(title, "")
            by_page[PageName(language, title)] = PageItem(item, title, "" if item else NO_ITEM)
    return by_page


def _picture_step(store: Store, name: str, *, new: int) -> WikiStep:
    pictures = store.pictures()
    kept = sum(not picture.reason and bool(picture.item) for picture in pictures)
    left_out = Counter(picture.reason for picture in pictures if picture.reason)
    return WikiStep(name, "pictures with an item", kept, new, _by_count(left_out))


class EntitySource(NamedTuple):
    """Where entities come from: functions that give them and the labels of ids, after one that makes them ready."""

    prepare: Callable[[Sequence[str]], None]
    entities: Callable[[Sequence[str]], Iterator[FetchedEntity]]
    labels: Callable[[Iterable[str]], Mapping[str, str]]


def fetch_statements(
    access: GraphAccess, wikimedia: Wikimedia, filters: StatementFilters, *, hops: int, dump: Path | None
) -> WikiStep:
    """Fetch the statements of the items of pictures, and of those that these lead to; filter and save them.

    Items whose statements are there are not fetched again. Raises SourceError, DatasetError and ConfigError.
    """
    store, config = access.store, access.folder.config
    new = 0
    with access.reporter as reporter, open_archive(access.folder) as archive:
        language = language_of(wikimedia, config)
        source = _entity_source(archive, wikimedia, config, dump, reporter)
        ids = _items_of_pictures(store)
        for hop in range(1, hops + 1):
            present = store.fetched_items()
            missing = [item for item in ids if item not in present]
            source.prepare(missing)
            merged: dict[str, str] = {}
            for done, batch in batches(missing, _ENTITIES):
                new += _save_entities(store, source, batch, language, filters, merged)
                reporter(f"statements {hop}", done, len(missing))
            if hop == 1:
                _note_entities(store, merged)
                ids = _items_of_pictures(store)
            ids = _leads(store, ids, filters) if hop < hops else []
    _finish_pictures(store)
    kept = store.status()["wiki"]["statements kept"]
    return WikiStep("statements", "statements", kept, new, {})


def _entity_source(
    archive: Archive, wikimedia: Wikimedia, config: Config, dump: Path | None, progress: Progress
) -> EntitySource:
    language = language_of(wikimedia, config)
    if dump is not None:
        source = DumpSource(dump, archive, language, progress)
        return EntitySource(source.prepare, source.entities, source.labels)
    wiki = MediaWiki(archive, wiki_settings(wikimedia, config), progress)
    named = _remembered(partial(labels, wiki, language=language))
    return EntitySource(lambda _: None, partial(entities, wiki, language=language), named)


def _remembered(labels: Callable[[Iterable[str]], Mapping[str, str]]) -> Callable[[Iterable[str]], Mapping[str, str]]:
    texts: dict[str, str] = {}

    def remembered(ids: Iterable[str]) -> Mapping[str, str]:
        asked = list(ids)
        if len(texts) > _LABELS:
            texts.clear()
        new = [id_ for id_ in asked if id_ not in texts]
        texts.update(dict.fromkeys(new, "") | dict(labels(new)))
        return {id_: texts[id_] for id_ in asked if texts[id_]}

    return remembered


def _items_of_pictures(store: Store) -> list[str]:
    return sorted({picture.item for picture in store.pictures(reason="") if picture.item}, key=_number)


def _number(item: str) -> int:
    return int(item[1:])


def _leads(store: Store, ids: Sequence[str], filters: StatementFilters) -> list[str]:
    """Return the items that statements which pass filters lead to, those first that most lead to.

    What other filters made of the statements since makes no difference, so that a later call finds the same items.
    """
    counts: Counter[str] = Counter()
    for _, batch in batches(ids, _BATCH):
        items, own = store.items(batch), store.item_statements(batch, kept=None)
        for item, statements in own.items():
            passed = filter_statements(items[item], statements, filters)
            counts.update({statement.target for statement in passed if statement.kept and statement.target})
    return sorted(counts, key=lambda item: (-counts[item], _number(item)))[:MOST]


def _save_entities(
    store: Store,
    source: EntitySource,
    ids: Sequence[str],
    language: str,
    filters: StatementFilters,
    merged: dict[str, str],
) -> int:
    """Save the entities of ids with their statements, and return how many statements there are.

    ``merged`` is told the item that another was merged into, and that one is gone (empty).
    """
    fetched = [each for each in source.entities(ids) if each.entity is not None]
    named = source.labels(sorted(set(chain.from_iterable(named_ids(each.entity or {}) for each in fetched))))
    items: list[WikiItem] = []
    statements: list[WikiStatement] = []
    for each in fetched:
        entity = each.entity or {}
        item = read_item(entity, named, language=language, source=each.source, fetched=each.fetched)
        items.append(item)
        statements += filter_statements(item, read_statements(entity, named, language=language), filters)
    store.save_items(items, statements)
    now = {each.asked: str((each.entity or {})["id"]) for each in fetched}
    merged.update((item, now.get(item, "")) for item in ids if now.get(item) != item)
    return len(statements)


def _note_entities(store: Store, merged: Mapping[str, str]) -> None:
    """Let pictures have the items that theirs were merged into, and leave out those whose item is no thing or gone.

    All pictures are looked at, so that one whose item was saved just before the end of this program is noted as well.
    """
    for batch in _in_batches(picture for picture in store.pictures(reason="") if picture.item):
        own = {picture.item: merged.get(picture.item, picture.item) for picture in batch}
        items = store.items([item for item in own.values() if item])
        pages = {id_ for id_, item in items.items() if not WIKIMEDIA_KINDS.isdisjoint(item.kinds)}
        noted = (_with_entity(picture, own[picture.item], pages) for picture in batch)
        store.save_pictures([now for was, now in zip(batch, noted, strict=True) if now != was])


def _with_entity(picture: PagePicture, item: str, pages: Container[str]) -> PagePicture:
    reason = GONE if not item else WIKIMEDIA_PAGE if item in pages else ""
    return replace(picture, item=item or picture.item, reason=reason)


def _finish_pictures(store: Store) -> None:
    waiting = [picture for picture in store.pictures(reason="") if picture.item and not picture.image]
    for _, batch in batches(waiting, _BATCH):
        own = store.item_statements([picture.item for picture in batch], kept=None)
        store.save_pictures([_with_file(picture, own.get(picture.item, ())) for picture in batch])


def _with_file(picture: PagePicture, statements: Iterable[WikiStatement]) -> PagePicture:
    name = _file(statements)
    return replace(with_file(picture, name), id=picture.id) if name else replace(picture, reason=NO_PICTURE)


def _file(statements: Iterable[WikiStatement]) -> str:
    named = (statement for statement in statements if statement.property_id == IMAGE and statement.best)
    return next((str(json.loads(statement.raw)) for statement in named if statement.raw), "")


def _kinds_of_pages(store: Store, ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
    kinds: dict[str, Sequence[str]] = {}
    for _, batch in batches(ids, _BATCH):
        items = store.items(batch)
        kinds |= {id_: item.kinds for id_, item in items.items() if not WIKIMEDIA_KINDS.isdisjoint(item.kinds)}
    return kinds


def filter_triples(access: GraphAccess, *, paper_filters: bool, strict: bool, support: int | None) -> WikiStep:
    """Filter the statements that are there anew, and keep the reasons; nothing is fetched."""
    store = access.store
    ids = sorted(store.fetched_items(), key=_number)
    counts = {row[0]: row[3] for row in store.query("predicate_frequency", {"limit": _ALL}).rows}
    filters = StatementFilters(
        paper_filters=paper_filters,
        strict=strict,
        min_support=support,
        counts=counts,
        counted=len(ids),
        kinds=_kinds_of_pages(store, ids),
    )
    reasons: Counter[str] = Counter()
    kept = new = 0
    with access.reporter as reporter:
        for done, batch in batches(ids, _BATCH):
            items, own = store.items(batch), store.item_statements(batch, kept=None)
            before = list(chain.from_iterable(own.values()))
            after = [each for item, rows in own.items() for each in filter_statements(items[item], rows, filters)]
            changed = [now for was, now in zip(before, after, strict=True) if was.reasons != now.reasons]
            store.update_reasons(changed)
            reasons.update(chain.from_iterable(statement.reasons for statement in after))
            kept += sum(statement.kept for statement in after)
            new += sum(statement.kept for statement in changed)
            reporter("triples", done, len(ids))
    return WikiStep("triples", "kept statements", kept, new, _by_count(reasons))
