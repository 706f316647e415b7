"""The last step of a benchmark from Wikipedia: questions made of statements, saved with pictures and origins."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from kbe_graph.datasets.picture import PictureFetch
from kbe_graph.errors import InputError, NoCandidate
from kbe_graph.evolve.blind_test import BlindDraft, BlindTest
from kbe_graph.extras import __version__
from kbe_graph.files.http import WebSettings
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models.loop import batches, gather_all
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.session import ModelSession
from kbe_graph.steps.tasks import STEP, guess_answers, wiki_questions_step
from kbe_graph.types import Extraction, PagePicture, WikiItem, WikiStatement
from kbe_graph.wiki.mediawiki import GONE, with_rights
from kbe_graph.wiki.page_questions import draw_questions, offered, rule_drafts, statement_lines, written_drafts
from kbe_graph.wiki.page_steps import WikiOptions, WikiStep, open_wikimedia
from kbe_graph.wiki.wiki_sample import Described, MadeQuestion, question_of_sample, sample_id, wiki_sample
from kbe_graph.wiki.wrong_options import DistractorPool

STATEMENTS = "statements"
"""The source of an extraction that came from statements."""
NOT_FETCHED = "picture not fetched (run the same command again)"
_BATCH = 200
Drafts = Mapping[str, Sequence[MadeQuestion]]
Awaits = tuple[Path, ...]


def make_questions(
    access: GraphAccess, options: WikiOptions, writer: ModelSession | None = None, guesser: ModelSession | None = None
) -> WikiStep:
    """Make questions of the pictures whose items have kept statements, and save them as a benchmark.

    Rules or a model ``writer`` word them. What a model ``guesser`` answers without the picture is left out.
    Raises InputError, SourceError, ConfigError and BudgetReached.
    """
    store = access.store
    pictures = {picture.id: picture for picture in store.pictures(reason="") if picture.item and picture.image}
    pool = DistractorPool(_with_statements(access, sorted(store.fetched_items())))
    about = _with_statements(access, [picture.item for picture in pictures.values()])
    described = (Described(picture, *each) for picture, each in zip(pictures.values(), about, strict=True))
    refused: Counter[str] = Counter()
    saved: Mapping[str, str] = {}
    drafts: Drafts
    awaits: Awaits = ()
    if writer is None:
        drafts = {each.picture.id: list(rule_drafts(each, pool, refused)) for each in described}
    else:
        chosen = [each for each in described if offered(each)]
        if options.fetch:  # the writer sees them
            saved = _saved_pictures(access, options, [each.picture for each in chosen])
        drafts, awaits = _written_by(writer, access, options, chosen, saved, pool, refused)
    questions = draw_questions(drafts, refused, most=options.each, seed=options.seed)
    if guesser and not awaits:
        questions, awaits = _not_guessed(guesser, questions, refused)
    if awaits:
        return WikiStep("questions", "questions", 0, 0, dict(refused.most_common()), awaits)
    if options.fetch:
        if writer is None:
            asked = dict.fromkeys(each.picture for each in questions)
            saved = _saved_pictures(access, options, [pictures[id_] for id_ in asked])
        lost = [each.picture for each in questions if not saved.get(each.picture)]
        refused.update(NOT_FETCHED if picture in saved else GONE for picture in lost)
        questions = [each for each in questions if saved.get(each.picture)]
    new = _save(access, questions, pool.items, saved, options.name)
    return WikiStep("questions", "questions", len(questions), new, dict((+refused).most_common()))


def _written_by(
    session: ModelSession,
    access: GraphAccess,
    options: WikiOptions,
    described: Sequence[Described],
    saved: Mapping[str, str],
    pool: DistractorPool,
    refused: Counter[str],
) -> tuple[Drafts, Awaits]:
    drafts: dict[str, list[MadeQuestion]] = {each.picture.id: [] for each in described}

    async def write(asker: Asker) -> None:
        async def write_one(each: Described) -> None:
            name = saved.get(each.picture.id)
            files = (access.folder.saved_images / name,) if name else ()
            about = each.picture.caption, each.item.label, statement_lines(offered(each))
            step = wiki_questions_step(*about, most=options.each, sees_image=bool(files), language=asker.language)
            try:
                written, origin = await asker.ask(step, pictures=files)
            except NoCandidate as none:
                refused[none.reason] += 1
                return
            drafts[each.picture.id] = written_drafts(written.questions, each, pool, origin, refused)
            refused.update(written.refused)

        await gather_all(map(write_one, described))

    with access.reporter:
        return drafts, session.do(write, STEP)


def _not_guessed(
    session: ModelSession, questions: Sequence[MadeQuestion], refused: Counter[str]
) -> tuple[list[MadeQuestion], Awaits]:
    kept: list[MadeQuestion] = []
    drafts = [BlindDraft(question_of_sample(each, each.seed), each.picture) for each in questions]

    async def guess(asker: Asker) -> None:
        looks = await BlindTest(partial(guess_answers, asker)).guess(drafts)
        for each, look in zip(questions, looks, strict=True):
            if look.decision.keep:
                kept.append(each)
            else:
                refused[look.decision.reason] += 1

    awaits = session.do(guess, "guess")
    return kept, awaits


def _with_statements(access: GraphAccess, ids: Sequence[str]) -> Iterator[tuple[WikiItem, Sequence[WikiStatement]]]:
    for _, batch in batches(ids, _BATCH):
        items, own = access.store.items(batch), access.store.item_statements(batch, kept=None)
        yield from ((items[id_], own.get(id_, ())) for id_ in batch)


def _saved_pictures(access: GraphAccess, options: WikiOptions, pictures: Sequence[PagePicture]) -> Mapping[str, str]:
    """Fetch pictures, and return their names by id: empty for one that is not served now, none for one that is gone."""
    folder = access.folder
    with open_wikimedia(access, options) as wiki:
        kept = [picture for picture in with_rights(wiki, pictures) if not picture.reason]
        settings = None if options.offline else WebSettings(wiki.settings.contact, options.local_hosts)
        fetch = PictureFetch(folder.picture_ledger, folder.saved_images, settings, access.reporter)
        names = fetch.names(sorted({picture.image for picture in kept}))
    access.store.save_pictures(kept)
    return {picture.id: names.get(picture.image, "") for picture in kept}


def _save(
    access: GraphAccess,
    questions: Sequence[MadeQuestion],
    items: Mapping[str, WikiItem],
    saved: Mapping[str, str],
    benchmark: str,
) -> int:
    """Save questions with their samples, graphs and origins, and return how many are new; raises InputError."""
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
            samples = [
                wiki_sample(each, pictures[each.picture], items[each.item], benchmark, saved.get(each.picture, ""))
                for each in batch
            ]
            store.save_samples([each.sample for each in samples])
            status = store.sample_status([each.sample.id for each in samples])
            fresh = [each for each in samples if status[each.sample.id].status == "loaded"]
            extractions = {each.sample.id: Extraction(STATEMENTS, version=__version__) for each in fresh}
            store.save_graphs([each.graph for each in fresh], [each.question for each in fresh], extractions)
            store.save_origins([each.origin for each in samples])
            reporter("questions", done, len(questions))
    return len(questions) - len(present)
