"""The last step of a benchmark from Wikipedia: questions made of statements, saved with pictures and origins."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from kbe_graph.config import contact_setting
from kbe_graph.datasets.picture import PictureFetch
from kbe_graph.errors import InputError, NoCandidate
from kbe_graph.evolve.blind_test import BlindTest, Draft
from kbe_graph.extras import __version__
from kbe_graph.facts.pack import pack
from kbe_graph.files.http import WebSettings
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models.loop import batches, gather_all
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.session import ModelSession
from kbe_graph.steps.tasks import STEP, ModelGuesser, wiki_questions_step
from kbe_graph.store import Store
from kbe_graph.types import Extraction, PagePicture, WikiItem, WikiStatement
from kbe_graph.wiki.distractor_pool import DistractorPool, packaged_items
from kbe_graph.wiki.lookup import GONE, with_rights
from kbe_graph.wiki.page_steps import WikiOptions, WikiStep, open_wikimedia
from kbe_graph.wiki.rule_question import Described, Drafted, draw_questions, rule_drafts
from kbe_graph.wiki.wiki_sample import MadeQuestion, question_of_sample, sample_id, wiki_sample
from kbe_graph.wiki.written_question import offered, statement_lines, written_drafts

STATEMENTS = "statements"
"""The source of an extraction that came from statements."""
_BATCH = 200


class _Made(NamedTuple):
    questions: Sequence[MadeQuestion]
    awaits: tuple[Path, ...] = ()


def make_questions(
    access: GraphAccess, options: WikiOptions, writer: ModelSession | None = None, guesser: ModelSession | None = None
) -> WikiStep:
    """Make questions of the pictures whose items have kept statements, and save them as a benchmark.

    Rules or a model ``writer`` word them. What a model ``guesser`` answers without the picture is left out.
    Raises InputError, SourceError, ConfigError and BudgetReached.
    """
    store = access.store
    pictures = {picture.id: picture for picture in store.pictures(reason="") if picture.item and picture.image}
    pool = DistractorPool(chain(_items_with_statements(store), packaged_items(pack())))
    latest = _latest_year(pool.items.values())
    described = _described(store, list(pictures.values()))
    refused: Counter[str] = Counter()
    saved: Mapping[str, str] = {}
    if writer is None:
        drafts = {each.picture.id: list(rule_drafts(each, pool, refused, latest=latest)) for each in described}
        made = _Made(draw_questions(drafts, refused, most=options.each, seed=options.seed))
    else:
        chosen = [each for each in described if offered(each, pool)]
        if options.fetch:  # the writer sees them
            saved = _saved_pictures(access, options, [each.picture for each in chosen])
        made = _by_model(access, options, writer, chosen, saved, pool, latest, refused)
    if guesser and not made.awaits:
        made = _not_guessed(guesser, made.questions, refused)
    if made.awaits:
        return WikiStep("questions", "questions", 0, 0, dict(refused.most_common()), made.awaits)
    if options.fetch and writer is None:
        saved = _saved_pictures(
            access, options, [pictures[id_] for id_ in {each.picture: 0 for each in made.questions}]
        )
    questions = [each for each in made.questions if not options.fetch or each.picture in saved]
    refused[GONE] += len(made.questions) - len(questions)
    new = _save(access, questions, pool.items, saved, options.name)
    return WikiStep("questions", "questions", len(questions), new, dict((+refused).most_common()))


def _by_model(
    access: GraphAccess,
    options: WikiOptions,
    session: ModelSession,
    described: Sequence[Described],
    saved: Mapping[str, str],
    pool: DistractorPool,
    latest: int,
    refused: Counter[str],
) -> _Made:
    drafts: dict[str, list[Drafted]] = {each.picture.id: [] for each in described}
    folder = access.folder.saved_images

    async def write(asker: Asker) -> None:
        async def write_one(each: Described) -> None:
            lines = statement_lines(offered(each, pool))
            files = tuple(folder / saved[id_] for id_ in (each.picture.id,) if id_ in saved)
            about = each.picture.caption, each.item.label, lines
            step = wiki_questions_step(*about, most=options.each, sees_image=bool(files), language=asker.language)
            try:
                written, origin = await asker.ask(step, pictures=files)
            except NoCandidate as none:
                refused[none.reason] += 1
                return
            drafts[each.picture.id] = written_drafts(written.questions, each, pool, origin, refused, latest=latest)
            refused.update(written.refused)

        await gather_all(map(write_one, described))

    with access.reporter:
        awaits = session.do(write, STEP)
    return _Made(draw_questions(drafts, refused, most=options.each, seed=options.seed), awaits)


def _not_guessed(session: ModelSession, questions: Sequence[MadeQuestion], refused: Counter[str]) -> _Made:
    kept: list[MadeQuestion] = []
    drafts = [Draft(question_of_sample(each, each.seed), each.picture) for each in questions]

    async def guess(asker: Asker) -> None:
        looks = await BlindTest(ModelGuesser(asker)).guess(drafts)
        for each, look in zip(questions, looks, strict=True):
            if look.decision.keep:
                kept.append(each)
            else:
                refused[look.decision.reason] += 1

    awaits = session.do(guess, "guess")
    return _Made(kept, awaits)


def _items_with_statements(store: Store) -> Iterator[tuple[WikiItem, Sequence[WikiStatement]]]:
    for _, batch in batches(sorted(store.fetched_items()), _BATCH):
        own = store.item_statements(batch, kept=None)
        yield from ((item, own.get(id_, ())) for id_, item in store.items(batch).items())


def _latest_year(items: Iterable[WikiItem]) -> int:
    years = [int(item.fetched[:4]) for item in items if item.fetched[:4].isdecimal()]
    return max(years, default=datetime.now(UTC).year)


def _described(store: Store, pictures: Sequence[PagePicture]) -> Iterator[Described]:
    for _, batch in batches(pictures, _BATCH):
        ids = [picture.item for picture in batch]
        items, own = store.items(ids), store.item_statements(ids, kept=None)
        yield from (Described(picture, items[picture.item], own.get(picture.item, ())) for picture in batch)


def _saved_pictures(access: GraphAccess, options: WikiOptions, pictures: Sequence[PagePicture]) -> Mapping[str, str]:
    folder = access.folder
    with open_wikimedia(access, options) as wiki:
        credited = list(with_rights(wiki, pictures))
        settings = WebSettings(contact_setting(folder.config, os.environ, options.contact), options.local_hosts)
        fetch = PictureFetch(
            folder.picture_ledger, folder.saved_images, None if options.offline else settings, access.reporter
        )
        kept = [picture for picture in credited if not picture.reason]
        names = fetch.names(sorted({picture.image for picture in kept}))
    access.store.save_pictures(kept)
    return {picture.id: names[picture.image] for picture in kept if picture.image in names}


def _save(
    access: GraphAccess,
    questions: Sequence[MadeQuestion],
    items: Mapping[str, WikiItem],
    saved: Mapping[str, str],
    benchmark: str,
) -> int:
    store = access.store
    present = {sample.id for sample in store.samples(benchmark=benchmark)}
    if others := present - {sample_id(each, benchmark) for each in questions}:
        raise InputError(
            f"benchmark {benchmark!r} has {len(others)} other questions, such as {min(others)!r}; give this "
            f"one another name, or remove that one with `forget`"
        )
    with access.reporter as reporter:
        for done, batch in batches(questions, _BATCH):
            pictures = {picture.id: picture for picture in store.pictures(ids=[each.picture for each in batch])}
            _save_samples(store, batch, pictures, items, saved, benchmark)
            reporter("questions", done, len(questions))
    return len(questions) - len(present)


def _save_samples(
    store: Store,
    questions: Sequence[MadeQuestion],
    pictures: Mapping[str, PagePicture],
    items: Mapping[str, WikiItem],
    saved: Mapping[str, str],
    benchmark: str,
) -> None:
    samples = [
        wiki_sample(each, pictures[each.picture], items[each.item], benchmark, image=saved.get(each.picture, ""))
        for each in questions
    ]
    store.save_samples([each.sample for each in samples])
    status = store.sample_status([each.sample.id for each in samples])
    fresh = [each for each in samples if status[each.sample.id].status == "loaded"]
    store.save_graphs(
        [each.graph for each in fresh],
        [each.question for each in fresh],
        {each.sample.id: Extraction(STATEMENTS, version=__version__) for each in fresh},
    )
    store.save_origins([each.origin for each in samples])
