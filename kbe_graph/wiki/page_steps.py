"""The first steps of a benchmark from Wikipedia: pictures read, items found, statements fetched and filtered."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from kbe_graph.brief import brief
from kbe_graph.facts.wikidata.entity import named_ids, read_item, read_statements
from kbe_graph.facts.wikidata.statement_filters import WIKIMEDIA_KINDS, filter_statements
from kbe_graph.facts.wikidata.wikidata import FILE, Archive, Wikimedia, wikidata_settings
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models.loop import batches
from kbe_graph.options import Options, option
from kbe_graph.types import PagePicture, WikiItem, WikiStatement
from kbe_graph.wiki.corpus import read_corpus, with_file
from kbe_graph.wiki.entities import WikidataEntities
from kbe_graph.wiki.mediawiki import WIKIMEDIA, with_items

WIKIMEDIA_PAGE, GONE = "the item is a page of Wikimedia", "no such item"
IMAGE = "P18"
MOST = 5_000
"""How many items are asked about at each hop after the first."""
_BATCH, _ENTITIES = 500, 50


@dataclass(frozen=True, slots=True)
class WikiOptions(Options):
    """Options of a benchmark from Wikipedia. Raises InputError.

    ``contact``, ``server`` and ``language`` can be set in ``kbe.toml`` too; the server stands in for all of Wikimedia.
    """

    name: str = option("wiki", "Benchmark name.")
    main_only: bool = option(False, "Use only the main picture of each page.")
    number: int | None = option(None, "Use only this many pictures, the first in FILE.", least=1)
    hops: int = option(
        1,
        "Fetch statements of the pages' items (1), and of the items they lead to (2 or more).",
        least=1,
        most=5,
    )
    dump: Path | None = option(None, "Read statements from a Wikidata entity dump (JSON, gz or bz2).")
    each: int = option(3, "Number of questions per picture.", least=1)
    seed: int = option(0, "Random seed.")
    fetch: bool = option(False, "Download the pictures, with author and licence.")
    local_hosts: bool = option(False, "Also download from this machine and private networks.")
    contact: str | None = option(None, "Your email or web address, for the server's operators (KBE_CONTACT).")
    server: str | None = option(None, "Base address of a server to use instead of Wikimedia's (server in [wiki]).")
    language: str | None = option(None, "Language of captions and labels (default: en; language in [wiki]).")
    offline: bool = option(False, "Do not contact Wikimedia; use the cached answers.")


@brief()
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


@contextmanager
def open_wikimedia(access: GraphAccess, options: WikiOptions) -> Iterator[Wikimedia]:
    """Give the client of Wikimedia with the answers that the workspace keeps; raises ConfigError."""
    config = access.folder.config
    server = str(options.server or config.section("wiki").get("server", WIKIMEDIA))
    settings = wikidata_settings(config, os.environ, contact=options.contact, endpoint=server, offline=options.offline)
    with access.reporter as reporter, Archive(access.folder.hidden / FILE) as archive:
        yield Wikimedia(archive, settings, reporter)


def _language(access: GraphAccess, options: WikiOptions) -> str:
    return str(options.language or access.folder.config.section("wiki").get("language", "en"))


def read_pictures(access: GraphAccess, file: Path, options: WikiOptions) -> WikiStep:
    """Read a corpus into the graph; a picture that is there stays as it is. Raises DatasetError and InputError."""
    store, language = access.store, _language(access, options)
    left_out: Counter[str] = Counter()
    kept = new = 0
    pictures = read_corpus(file, main_only=options.main_only, number=options.number, language=language)
    with access.reporter as reporter:
        while batch := list(islice(pictures, _BATCH)):
            present = {picture.id for picture in store.pictures(ids=[picture.id for picture in batch])}
            fresh = list({picture.id: picture for picture in batch if picture.id not in present}.values())
            store.save_pictures(fresh)
            left_out.update(picture.reason for picture in batch if picture.reason)
            kept += sum(not picture.reason for picture in batch)
            new += sum(not picture.reason for picture in fresh)
            reporter("corpus", kept, kept)
    return WikiStep("corpus", "pictures", kept, new, dict(left_out.most_common()))


def find_items(access: GraphAccess, options: WikiOptions) -> WikiStep:
    """Find the items of the pages of pictures, and keep them with the pictures; raises SourceError and ConfigError."""
    store = access.store
    waiting = [picture for picture in store.pictures(reason="") if not picture.item]
    with open_wikimedia(access, options) as wiki:
        for _, batch in batches(waiting, _BATCH):
            store.save_pictures(list(with_items(wiki, batch)))
    pictures = store.pictures()
    kept = sum(not picture.reason and bool(picture.item) for picture in pictures)
    left_out = Counter(picture.reason for picture in pictures if picture.reason)
    return WikiStep("items", "pictures with an item", kept, len(waiting), dict(left_out.most_common()))


def fetch_statements(access: GraphAccess, options: WikiOptions) -> WikiStep:
    """Fetch the statements of the items of pictures, and of those that these lead to; filter and save them.

    Items whose statements are there are not fetched again; one that cannot be read is left out with a warning. Raises
    SourceError, DatasetError and ConfigError.
    """
    store = access.store
    new = 0
    lost = Counter[str]()
    with open_wikimedia(access, options) as wiki:
        source = WikidataEntities(wiki, _language(access, options), options.dump)
        ids = _items_of_pictures(access)
        for hop in range(1, options.hops + 1):
            present = store.fetched_items()
            missing = [item for item in ids if item not in present]
            source.prepare(missing)
            merged: dict[str, str] = {}
            for done, batch in batches(missing, _ENTITIES):
                new += _save_entities(access, source, batch, merged)
                wiki.progress(f"statements {hop}", done, len(missing))
            if hop == 1:
                lost = _note_entities(access, merged)
                ids = _items_of_pictures(access)
            ids = _leads(access, ids) if hop < options.hops else []
    refused = {row[0]: row[1] for row in store.query("reasons_of_statements").rows}
    kept = store.status().get("wiki", {}).get("statements kept", 0)
    return WikiStep("statements", "kept statements", kept, new, {**lost, **refused})


def _items_of_pictures(access: GraphAccess) -> list[str]:
    return sorted({picture.item for picture in access.store.pictures(reason="") if picture.item}, key=_by_number)


def _by_number(item: str) -> tuple[int, str]:
    return len(item), item


def _leads(access: GraphAccess, ids: Sequence[str]) -> list[str]:
    """Return the items that kept statements lead to, those first that most lead to."""
    counts: Counter[str] = Counter()
    for _, batch in batches(ids, _BATCH):
        for statements in access.store.item_statements(batch).values():
            counts.update({statement.target for statement in statements if statement.target})
    return sorted(counts, key=lambda item: (-counts[item], _by_number(item)))[:MOST]


def _save_entities(access: GraphAccess, source: WikidataEntities, ids: Sequence[str], merged: dict[str, str]) -> int:
    """Save the entities of ids with their statements, and return how many of these are kept.

    ``merged`` is told the item that another was merged into, and that one is gone or cannot be read (empty).
    """
    fetched = [(each, each.entity) for each in source.entities(ids) if each.entity is not None]
    named = source.labels(sorted({name for _, entity in fetched for name in named_ids(entity)}))
    items: dict[str, WikiItem] = {}
    statements: list[WikiStatement] = []
    for each, entity in fetched:
        item = read_item(entity, named, language=source.language, source=each.source, fetched=each.fetched)
        items[each.asked] = item
        statements += filter_statements(item, read_statements(entity, named, language=source.language))
    access.store.save_items(list(items.values()), statements)
    now = {id_: items[id_].id if id_ in items else "" for id_ in ids}
    merged.update((id_, item) for id_, item in now.items() if id_ != item)
    return sum(statement.kept for statement in statements)


def _note_entities(access: GraphAccess, merged: Mapping[str, str]) -> Counter[str]:
    """Let pictures have the items that theirs were merged into, and the files of lists' items.

    Those whose item is no thing, or gone, are left out, and counted by reason. All pictures are looked at, so that one
    whose item was saved just before the end of this program is noted as well.
    """
    store, lost = access.store, Counter[str]()
    for _, batch in batches([picture for picture in store.pictures(reason="") if picture.item], _BATCH):
        own = {picture.item: merged.get(picture.item, picture.item) for picture in batch}
        ids = [item for item in own.values() if item]
        items, statements = store.items(ids), store.item_statements(ids, kept=None)
        changed: list[PagePicture] = []
        for picture in batch:
            id_ = own[picture.item]
            is_page = id_ in items and not WIKIMEDIA_KINDS.isdisjoint(items[id_].kinds)
            reason = GONE if not id_ else WIKIMEDIA_PAGE if is_page else ""
            noted = replace(picture, item=id_ or picture.item, reason=reason)
            if not picture.image and not reason:
                noted = with_file(noted, _file_of(statements.get(id_, ())))
            changed += [noted] if noted != picture else []
        store.save_pictures(changed)
        lost.update(picture.reason for picture in changed if picture.reason)
    return lost


def _file_of(statements: Sequence[WikiStatement]) -> str:
    files = (each.text for each in statements if each.property_id == IMAGE and each.best)
    return next(files, "")
