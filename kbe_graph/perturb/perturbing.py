"""The questions of a workspace perturbed: variants made, and kept in the graph."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kbe_graph.brief import brief
from kbe_graph.datasets.annotations import read_annotations
from kbe_graph.errors import ConfigError, InputError
from kbe_graph.files.image import ImageFolders, save_image
from kbe_graph.graph_access import GraphAccess
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
from kbe_graph.types import CONTROL, RAW, Question, QuestionVariant, Sample

_LISTED = ("scene graph", "coco instances")  # the sources that list the objects of a picture, with their places
Task = tuple[Original, Composition, int]
_BATCH = 24  # variants that are made before they are saved


@brief()
@dataclass(frozen=True, slots=True)
class OperationCount:
    """The number of variants of an operation, and of questions and seeds without one, by reason.

    ``refused`` are questions that do not allow the operation, and ``rejected`` variants that failed a check.
    """

    operation: str
    kept: int
    refused: Mapping[str, int]
    rejected: Mapping[str, int]


@brief("run questions new", table="operations: operation kept refused rejected")
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
) -> Perturbed:
    """Make variants of questions, and save them.

    Pictures are looked for in ``images`` first, and ``files`` are annotations by format. A ``model`` takes the place of
    rules where it can. Raises InputError, DatasetError, ConfigError, ResourceError and BudgetReached.
    """
    if not pairs:
        raise InputError("there is no question of these hops; load a benchmark, or choose other hops")
    if model and model.runner not in {"direct", "batch"}:
        raise ConfigError(f"perturbing does not work with runner {model.runner!r}; use 'direct' or 'batch'")
    folders = access.folder.images(*images)
    originals = _originals(access, pairs, files)
    before = [] if replace else access.variants(run)
    present = {variant.id for variant in before if variant.status != "refused"}
    with access.reporter as reporter, ExitStack() as stack:
        compositions = _compositions(access, names, originals, model, stack)
        tasks = _tasks(originals, compositions, seeds)
        waiting = [task for id_, task in tasks.items() if id_ not in present]
        pool = stack.enter_context(ThreadPoolExecutor())
        for start in range(0, len(waiting), _BATCH):
            reporter("perturb", start, len(waiting))
            batch = waiting[start : start + _BATCH]
            _save(access, list(pool.map(partial(_make, folders), batch)))
        reporter("perturb", len(waiting), len(waiting))
        made = [variant for variant in access.variants(run) if variant.id in tasks]
    if replace:
        remove_unused_pictures(access)
    new = sum(variant.status == "kept" and variant.id not in present for variant in made)
    return Perturbed(run, len(originals), new, tuple(_counts(made, compositions)))


def _make(folders: ImageFolders, task: Task) -> MadeVariant:
    original, composition, seed = task
    return make_variant(original, composition, seed, folders.of(original.sample))


def _tasks(originals: Sequence[Original], compositions: Sequence[Composition], seeds: int) -> dict[str, Task]:
    return {
        QuestionVariant(original.question.id, composition.name, seed).id: (original, composition, seed)
        for original in originals
        for composition in compositions
        for seed in range(seeds if composition.is_drawn else 1)
    }


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


def remove_unused_pictures(access: GraphAccess) -> None:
    """Remove the perturbed pictures that no question of the graph is asked with."""
    folder, store = access.folder.variant_images, access.store
    if folder.is_dir() and (files := [*folder.glob("*")]):
        runs = (RAW, *(run.name for run in store.runs()))
        used = {variant.image for run in runs for variant in store.variants(run=run)}
        for file in files:
            if file.name not in used:
                file.unlink(missing_ok=True)
