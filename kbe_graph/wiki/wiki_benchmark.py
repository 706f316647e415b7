"""The last step of a benchmark from Wikipedia: questions made of statements, saved with pictures and origins."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from kbe_graph import __version__
from kbe_graph.config import contact_setting
from kbe_graph.datasets.benchmark import check_names
from kbe_graph.datasets.picture_fetch import PictureFetch
from kbe_graph.errors import InputError, NoCandidate
from kbe_graph.evolve.blind_test import BlindTest, Draft
from kbe_graph.facts.pack import pack
from kbe_graph.files.http import WebSettings
from kbe_graph.files.whole import replacing
from kbe_graph.folder import Folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models.loop import gather_all
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.blind import ModelGuesser
from kbe_graph.steps.session import ModelSession
from kbe_graph.steps.wiki_questions import STEP, WikiQuestionWriter
from kbe_graph.store import Store
from kbe_graph.types import Extraction, PagePicture, WikiItem, WikiStatement
from kbe_graph.wiki.distractor_pool import DistractorPool
from kbe_graph.wiki.made_question import MadeQuestion, question_of_sample
from kbe_graph.wiki.mediawiki import MediaWiki
from kbe_graph.wiki.packaged_items import packaged_items
from kbe_graph.wiki.picture_rights import GONE, picture_rights, with_rights
from kbe_graph.wiki.rule_question import Described, Drafted, draw_varied, rule_questions, with_choices
from kbe_graph.wiki.wiki_sample import SPLIT, WikiSample, sample_id, wiki_sample
from kbe_graph.wiki.wiki_steps import Wikimedia, WikiStep, in_batches, open_archive
from kbe_graph.wiki.written_question import offered, statement_lines, written_drafts

STATEMENTS = "statements"
"""The source of an extraction that came from statements."""
_BATCH = 200


class QuestionScope(NamedTuple):
    """The questions to make: of which benchmark, how many of a picture, by which seed.

    ``fetch`` gets the pictures that questions are about, also from this machine with ``local_hosts``.
    """

    name: str = "wiki"
    each: int = 3
    seed: int = 0
    fetch: bool = False
    local_hosts: bool = False


class _Made(NamedTuple):
    questions: Sequence[MadeQuestion]
    refused: Counter[str]
    awaits: tuple[Path, ...] = ()


def make_questions(
    access: GraphAccess,
    wikimedia: Wikimedia,
    scope: QuestionScope,
    writer: ModelSession | None = None,
    guesser: ModelSession | None = None,
) -> WikiStep:
    """Make questions of the pictures whose items have kept statements, and save them as a benchmark.

    Rules or a model ``writer`` word them, and those are left out that a model ``guesser`` answers without the picture.
    Raises InputError, SourceError, ConfigError and BudgetReached.
    """
    check_names(scope.name, SPLIT)
    store = access.store
    pictures = {picture.id: picture for picture in store.pictures(reason="") if picture.item and picture.image}
    pool = DistractorPool(chain(_items_with_statements(store), packaged_items(pack())))
    years = [int(item.fetched[:4]) for item in pool.items.values() if item.fetched[:4].isdecimal()]
    latest = max(years, default=datetime.now(UTC).year)
    described = _described(store, pictures.values())
    saved: Mapping[str, str] = {}
    if writer is None:
        made = rule_questions(described, pool, latest=latest, most=scope.each, seed=scope.seed)
        outcome = _Made(made.questions, Counter(made.refused))
    else:
        chosen = [each for each in described if offered(each, pool)]
        if scope.fetch:  # the writer sees them
            saved = _saved_pictures(access, wikimedia, scope, [each.picture for each in chosen])
        outcome = _by_model(access, writer, chosen, saved, pool, latest, scope)
    if guesser and not outcome.awaits:
        outcome = _not_guessed(guesser, outcome)
    if outcome.awaits:
        return WikiStep("questions", "questions", 0, 0, dict(outcome.refused.most_common()), outcome.awaits)
    if scope.fetch and writer is None:
        shown = dict.fromkeys(each.picture for each in outcome.questions)
        saved = _saved_pictures(access, wikimedia, scope, [pictures[id_] for id_ in shown])
    questions = [each for each in outcome.questions if not scope.fetch or each.picture in saved]
    outcome.refused[GONE] += len(outcome.questions) - len(questions)
    new = _save(access, list(_placed(questions, scope.name)), pool.items, saved, scope.name)
    step = WikiStep("questions", "questions", len(questions), new, dict((+outcome.refused).most_common()))
    _keep_step(access.folder, scope.name, step)
    return step


def _by_model(
    access: GraphAccess,
    session: ModelSession,
    described: Sequence[Described],
    saved: Mapping[str, str],
    pool: DistractorPool,
    latest: int,
    scope: QuestionScope,
) -> _Made:
    refused: Counter[str] = Counter()
    drafts: dict[str, list[Drafted]] = {each.picture.id: [] for each in described}
    folder = access.folder.saved_images

    async def write(asker: Asker) -> None:
        writer = WikiQuestionWriter(asker, scope.each)

        async def write_one(each: Described) -> None:
            lines = statement_lines(offered(each, pool))
            files = tuple(folder / saved[id_] for id_ in (each.picture.id,) if id_ in saved)
            try:
                written, origin = await writer(each.picture.caption, each.item.label, lines, files)
            except NoCandidate as none:
                refused[none.reason] += 1
                return
            passed, others = written_drafts(written.questions, each, pool, origin, latest=latest)
            drafts[each.picture.id] = passed
            refused.update(written.refused)
            refused.update(others)

        await gather_all(map(write_one, described))

    awaits = session.do(write, STEP)
    made = with_choices(draw_varied(drafts, most=scope.each, seed=scope.seed), refused)
    return _Made(made.questions, Counter(made.refused), awaits)


def _not_guessed(session: ModelSession, made: _Made) -> _Made:
    kept: list[MadeQuestion] = []
    refused = Counter(made.refused)
    drafts = [Draft(question_of_sample(each, each.seed), each.picture) for each in made.questions]

    async def guess(asker: Asker) -> None:
        looks = await BlindTest(ModelGuesser(asker)).guess(drafts)
        for each, look in zip(made.questions, looks, strict=True):
            if look.decision.keep:
                kept.append(each)
            else:
                refused[look.decision.reason] += 1

    awaits = session.do(guess, "guess")
    return _Made(kept, refused, awaits)


def _items_with_statements(store: Store) -> Iterator[tuple[WikiItem, Sequence[WikiStatement]]]:
    for batch in in_batches(sorted(store.fetched_items()), _BATCH):
        own = store.item_statements(batch, kept=None)
        yield from ((item, own.get(id_, ())) for id_, item in store.items(batch).items())


def _described(store: Store, pictures: Iterable[PagePicture]) -> Iterator[Described]:
    for batch in in_batches(pictures, _BATCH):
        ids = [picture.item for picture in batch]
        items, own = store.items(ids), store.item_statements(ids, kept=None)
        yield from (Described(picture, items[picture.item], own.get(picture.item, ())) for picture in batch)


def _saved_pictures(
    access: GraphAccess, wikimedia: Wikimedia, scope: QuestionScope, pictures: Sequence[PagePicture]
) -> Mapping[str, str]:
    config, folder = access.folder.config, access.folder
    with access.reporter as reporter:
        with open_archive(folder) as archive:
            wiki = MediaWiki(archive, wikimedia.settings(config), reporter)
            rights = picture_rights(wiki, [picture.image for picture in pictures])
        credited = [picture for picture in with_rights(pictures, rights) if not picture.reason]
        settings = WebSettings(contact_setting(config, os.environ, wikimedia.contact), scope.local_hosts)
        web = None if wikimedia.offline else settings
        fetch = PictureFetch(folder.picture_ledger, folder.saved_images, web, reporter)
        names = fetch.names(sorted({picture.image for picture in credited}))
    access.store.save_pictures(credited)
    return {picture.id: names[picture.image] for picture in credited if picture.image in names}


class _Placed(NamedTuple):
    """A question, its number among those of one picture and property, and the id of its sample."""

    made: MadeQuestion
    number: int
    sample: str


def _placed(made: Iterable[MadeQuestion], benchmark: str) -> Iterator[_Placed]:
    numbers: Counter[tuple[str, str]] = Counter()
    for each in made:
        key = each.picture, each.statement.property_id
        numbers[key] += 1
        yield _Placed(each, numbers[key], sample_id(each, benchmark, numbers[key]))


def _save(
    access: GraphAccess,
    placed: Sequence[_Placed],
    items: Mapping[str, WikiItem],
    saved: Mapping[str, str],
    benchmark: str,
) -> int:
    store = access.store
    present = {sample.id for sample in store.samples(benchmark=benchmark)}
    if others := present - {each.sample for each in placed}:
        raise InputError(
            f"benchmark {benchmark!r} has {len(others)} other questions, such as {min(others)!r}; give this "
            "one another name, or forget that one"
        )
    with access.reporter as reporter:
        for number, batch in enumerate(in_batches(placed, _BATCH)):
            pictures = {picture.id: picture for picture in store.pictures(ids=[each.made.picture for each in batch])}
            samples = [
                wiki_sample(
                    *(each.made, pictures[each.made.picture], items[each.made.item], benchmark, each.number),
                    image=saved.get(each.made.picture, ""),
                )
                for each in batch
            ]
            _save_samples(store, samples)
            reporter("questions", number * _BATCH + len(batch), len(placed))
    return len(placed) - len(present)


def _save_samples(store: Store, samples: Sequence[WikiSample]) -> None:
    store.save_samples([each.sample for each in samples])
    status = store.sample_status([each.sample.id for each in samples])
    fresh = [each for each in samples if status[each.sample.id].status == "loaded"]
    extraction = Extraction(STATEMENTS, version=__version__)
    store.save_graphs(
        [each.graph for each in fresh],
        [each.question for each in fresh],
        {each.sample.id: extraction for each in fresh},
    )
    store.save_origins([each.origin for each in samples])


def _keep_step(folder: Folder, benchmark: str, step: WikiStep) -> None:
    file = step_file(folder, benchmark)
    file.parent.mkdir(exist_ok=True)
    with replacing(file) as stream:
        stream.write(json.dumps(step.as_mapping(), ensure_ascii=False))


def step_file(folder: Folder, benchmark: str) -> Path:
    """Return the file that notes how a benchmark's questions were made; the graph does not have the refusals."""
    return folder.hidden / "wiki" / f"{benchmark}.json"
