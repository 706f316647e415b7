"""The questions of a workspace perturbed: variants made, judged by a model, and kept in the graph."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from kbe_graph.datasets.annotations import read_annotations
from kbe_graph.errors import ConfigError, InputError, KbeError, NoCandidate
from kbe_graph.files.image import ImageFolders, save_image
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models.loop import gather_all
from kbe_graph.perturb.eligible import Original
from kbe_graph.perturb.picture_edits import edit_operations, picture_editor
from kbe_graph.perturb.picture_operations import PICTURE_OPERATIONS
from kbe_graph.perturb.text_operations import TEXT_OPERATIONS, ask_paraphrases
from kbe_graph.perturb.variant import (
    BY_MODEL,
    Composition,
    MadeVariant,
    make_variant,
    operations_in,
    read_compositions,
)
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.session import CALLS, ModelSession
from kbe_graph.steps.tasks import judge_variant_step
from kbe_graph.types import CONTROL, RAW, Question, QuestionVariant, Sample

JUDGE_STEP = "judge_variant"
CHANGED, NOT_ENGLISH, UNJUDGED = "judge: the answer changed", "judge: not good English", "judge: no verdict"
_LISTED = ("scene graph", "coco instances")  # the sources that list the objects of a picture, with their places
_BATCH = 24  # variants that are made before they are saved


@dataclass(frozen=True, slots=True)
class OperationCount:
    """The number of variants of an operation, and of questions and seeds without one, by reason.

    ``refused`` are questions that do not allow the operation, and ``rejected`` variants that failed a check.
    """

    operation: str
    kept: int
    refused: Mapping[str, int]
    rejected: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Perturbed:
    """The outcome of perturbing: the number of questions, of new kept variants, and the counts by operation."""

    run: str | None
    questions: int
    new: int
    operations: tuple[OperationCount, ...]


def perturb_questions(
    access: GraphAccess,
    names: Sequence[str],
    run: str | None,
    pairs: Sequence[tuple[Sample, Question]],
    *,
    seeds: int,
    replace: bool = False,
    images: Sequence[Path] = (),
    files: Mapping[str, Sequence[Path]],
    model: ModelSession | None = None,
    judge: ModelSession | None = None,
) -> Perturbed:
    """Make variants of questions, have them judged where there is a judge, and save them.

    Pictures are looked for in ``images`` first, and ``files`` are annotations by format. A ``model`` takes the place of
    rules where it can. Raises InputError, DatasetError, ConfigError, ResourceError and BudgetReached.
    """
    if not pairs:
        raise InputError("there is no question of these hops; load a benchmark, or choose other hops")
    for session in filter(None, (model, judge)):
        if session.runner not in {"direct", "batch"}:
            raise ConfigError(f"perturbing does not work with runner {session.runner!r}; use 'direct' or 'batch'")
    folders = access.folder.images(*images)
    originals = _originals(access, pairs, files)
    before = access.variants(run)
    present = set() if replace else {variant.id for variant in before if variant.status != "refused"}

    def make(task: tuple[Original, Composition, int]) -> MadeVariant:
        sample = task[0].sample
        return make_variant(*task, folders.of(sample))

    with access.reporter as reporter, ExitStack() as stack:
        compositions = _compositions(access, names, originals, model, stack)
        tasks = {
            QuestionVariant(original.question.id, composition.name, seed).id: (original, composition, seed)
            for original in originals
            for composition in compositions
            for seed in range(seeds if composition.is_drawn else 1)
        }
        waiting = [task for id_, task in tasks.items() if id_ not in present]
        pool = stack.enter_context(ThreadPoolExecutor())
        for start in range(0, len(waiting), _BATCH):
            reporter("perturb", start, len(waiting))
            _save(access, list(pool.map(make, waiting[start : start + _BATCH])))
        reporter("perturb", len(waiting), len(waiting))
        made = [variant for variant in access.variants(run) if variant.id in tasks]
        if judge is not None:
            made = _judge(access, judge, originals, made, folders)
    if replace:
        remove_unused_pictures(access)
    new = sum(variant.status == "kept" and variant.id not in present for variant in made)
    return Perturbed(run, len(originals), new, tuple(_counts(made, compositions)))


def _originals(
    access: GraphAccess, pairs: Sequence[tuple[Sample, Question]], files: Mapping[str, Sequence[Path]]
) -> list[Original]:
    with access.reporter.waiting("reading the questions"):
        ids = {key for sample, _ in pairs for key in (sample.image_id, sample.id.rsplit("/", 1)[-1])}
        annotations = read_annotations(wanted=ids, **files)
    access.store.save_loaded(question for _, question in pairs)
    return [
        Original(
            sample,
            question,
            tuple(thing for view in annotations.of(sample) if view.source in _LISTED for thing in view.things),
        )
        for sample, question in pairs
    ]


def _compositions(
    access: GraphAccess,
    names: Sequence[str],
    originals: Sequence[Original],
    session: ModelSession | None,
    stack: ExitStack,
) -> list[Composition]:
    """Read the names; a session's model writes the paraphrases at once, and edits pictures when they are drawn."""
    texts, pictures = dict(TEXT_OPERATIONS), dict(PICTURE_OPERATIONS)
    wanted = {operation for name in names for operation in operations_in(name)}
    if session and "paraphrase" in wanted:

        async def ask(asker: Asker) -> None:
            texts["paraphrase"] = await ask_paraphrases(asker, originals)

        session.do(ask, "paraphrase")
    if session and not wanted.isdisjoint(BY_MODEL):
        editor = picture_editor(session.book, access.folder.hidden / CALLS, budget=session.budget)
        pictures |= edit_operations(stack.enter_context(editor))
    compositions = read_compositions(names, pictures, texts)
    if not any(composition.pictures for composition in compositions):
        return compositions
    control = Composition(CONTROL, (PICTURE_OPERATIONS[CONTROL],))
    return [control, *(each for each in compositions if each.name != CONTROL)]


def _save(access: GraphAccess, made: Sequence[MadeVariant]) -> None:
    for each in made:
        if each.picture:
            save_image(each.picture, access.folder.variant_images)
    access.store.save_variants([each.variant for each in made])


def _counts(variants: Sequence[QuestionVariant], compositions: Sequence[Composition]) -> Iterator[OperationCount]:
    for composition in compositions:
        own = [variant for variant in variants if variant.operation == composition.name]
        reasons = {
            status: dict(Counter(variant.reason for variant in own if variant.status == status).most_common())
            for status in ("refused", "rejected")
        }
        kept = sum(variant.status == "kept" for variant in own)
        yield OperationCount(composition.name, kept, **reasons)


def _judge(
    access: GraphAccess,
    session: ModelSession,
    originals: Sequence[Original],
    variants: Sequence[QuestionVariant],
    folders: ImageFolders,
) -> list[QuestionVariant]:
    """Have a model judge the variants that were kept or had no verdict, and return all as they are then."""
    by_id = {original.question.id: original for original in originals}
    waiting = [variant for variant in variants if variant.status == "kept" or variant.reason == UNJUDGED]
    judged: dict[str, QuestionVariant] = {}

    async def look(asker: Asker) -> None:
        async def look_at(variant: QuestionVariant) -> None:
            reason = await _refusal(asker, by_id[variant.question], variant, folders)
            judged[variant.id] = replace(variant, status="rejected" if reason else "kept", reason=reason)

        await gather_all(map(look_at, waiting))

    try:
        session.do(look, JUDGE_STEP)
    except KbeError:  # of a judge that never answers, nothing is known of any variant
        access.store.save_variants([each for each in judged.values() if each.reason != UNJUDGED])
        raise
    access.store.save_variants([*judged.values()])
    return [judged.get(variant.id, variant) for variant in variants]


async def _refusal(asker: Asker, original: Original, variant: QuestionVariant, folders: ImageFolders) -> str:
    sample, question = original.sample, original.question
    pictures: tuple[Path, ...] = ()
    if variant.image:
        shown = variant.with_picture_of(sample)
        before, after = folders.of(sample), folders.of(shown)
        if not before or not after:
            return UNJUDGED
        pictures = (before[0], after[0])
    step = judge_variant_step(question.text, question.answer, variant.text, has_pictures=bool(pictures))
    try:
        verdict, _ = await asker.ask(step, pictures=pictures)
    except NoCandidate:
        return UNJUDGED
    if not verdict.answer:
        return CHANGED
    return "" if verdict.english else NOT_ENGLISH


def remove_unused_pictures(access: GraphAccess) -> None:
    """Remove the perturbed pictures that no question of the graph is asked with."""
    folder, store = access.folder.variant_images, access.store
    if folder.is_dir() and (files := [*folder.glob("*")]):
        runs = (RAW, *(run.name for run in store.runs()))
        used = {variant.image for run in runs for variant in store.variants(run=run)}
        for file in files:
            if file.name not in used:
                file.unlink(missing_ok=True)
