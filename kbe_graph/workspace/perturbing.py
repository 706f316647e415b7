"""Perturbs the questions of a workspace, and keeps the variants in the graph."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.datasets.annotations import Annotations, read_annotations
from kbe_graph.datasets.view import Thing
from kbe_graph.errors import InputError
from kbe_graph.evaluate.prompting import read_hops
from kbe_graph.execute.executor import Executor, Stage
from kbe_graph.export.selection import select
from kbe_graph.extras import has_extra
from kbe_graph.files.image import ImageFolders, save_image
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import run as run_loop
from kbe_graph.perturb.methods import BY_MODEL, CONTROL, FORM, Composition, methods_within, read_compositions
from kbe_graph.perturb.operation import Original
from kbe_graph.perturb.picture_operations import PICTURE_OPERATIONS, Style
from kbe_graph.perturb.text_operations import TEXT_OPERATIONS
from kbe_graph.perturb.variant import MadeVariant, make_variant
from kbe_graph.seeds import draw_ids, seed_of
from kbe_graph.store import Store
from kbe_graph.types import Form, Question, QuestionVariant, Sample
from kbe_graph.workspace.forms import make_run_forms
from kbe_graph.workspace.model_options import ModelOptions
from kbe_graph.workspace.perturb_models import check_models, common_budget, judge_variants, operations_for
from kbe_graph.workspace.variants import remove_unused_pictures, stored_variants

LISTED = ("scene graph", "coco instances")  # the sources that list the objects of a picture, with their places
CAPTIONS = ("caption",)
PICTURE_NAMES, TEXT_NAMES = (*PICTURE_OPERATIONS, *BY_MODEL), (*TEXT_OPERATIONS, FORM)
"""The operations on pictures and those on words, as they are named."""
PICTURE_METHODS, TEXT_METHODS = methods_within(PICTURE_NAMES), methods_within(TEXT_NAMES)
_FORMS: tuple[Form, ...] = ("choice", "fill", "true-false")
_OTHERS = 8  # captions of other pictures to choose from


class PerturbScope(NamedTuple):
    """The questions to perturb and how often: those of a run's ``hops``, each operation with so many ``seeds``.

    ``number`` samples are drawn, all where it is None. ``replace`` makes these anew; the variants of other questions
    stay.
    """

    run: str | None = None
    benchmark: str | None = None
    hops: str = "0"
    seeds: int = 3
    number: int | None = None
    replace: bool = False


@dataclass(frozen=True, slots=True)
class OperationCount:
    """The number of variants of an operation, and of questions and seeds without one, by reason.

    ``refused`` are questions that do not allow the operation, and ``rejected`` variants that failed a check.
    """

    operation: str
    kept: int
    refused: Mapping[str, int] = field(default_factory=dict)
    rejected: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Perturbed:
    """The outcome of perturbing: the number of questions, of new kept variants, and the counts by operation."""

    run: str | None
    questions: int
    new: int
    operations: tuple[OperationCount, ...]

    def as_mapping(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return asdict(self)


class Task(NamedTuple):
    """One variant that is to be made."""

    original: Original
    composition: Composition
    seed: int

    @property
    def id(self) -> str:
        """The id that the variant will have."""
        return QuestionVariant(self.original.question.id, self.composition.name, self.seed).id


@dataclass(frozen=True)
class PerturbQuestions(Stage[Task, list[MadeVariant], list[MadeVariant]]):
    """Makes variants; those that are ``present`` are not made again."""

    name = "perturb"
    size = 24
    ahead = 4
    folders: ImageFolders
    present: frozenset[str]

    def item_id(self, item: Task) -> str:
        """Return the id of the variant."""
        return item.id

    def missing(self, items: Sequence[Task]) -> Sequence[Task]:
        """List the variants that are not there."""
        return [task for task in items if task.id not in self.present]

    async def begin(self, batch: Sequence[Task]) -> list[MadeVariant]:
        """Make the variants of a batch, beside those of others: most of the work leaves the interpreter free."""
        return await asyncio.to_thread(lambda: [self._make(task) for task in batch])

    def _make(self, task: Task) -> MadeVariant:
        sample = task.original.sample
        files = self.folders.find_all(sample.images, sample.image_id)
        return make_variant(task.original, task.composition, task.seed, files)


@dataclass(frozen=True, slots=True)
class Originals:
    """Gives questions with the annotations of their pictures.

    ``captions`` are by the key of the picture, and ``pictures`` are these keys in their order.
    """

    annotations: Annotations
    captions: Mapping[str, tuple[str, ...]]
    pictures: Sequence[str]

    def of(self, sample: Sample, question: Question) -> Original:
        """Return a question with the objects and captions of its picture, and some captions of other pictures."""
        listed = [view for view in self.annotations.of(sample) if view.source in LISTED]
        things: tuple[Thing, ...] | None = tuple(thing for view in listed for thing in view.things) if listed else None
        own = self.captions.get(sample.picture_key, ())
        return Original(sample, question, things, own, self._of_others(sample))

    def _of_others(self, sample: Sample) -> tuple[str, ...]:
        start, keys = seed_of("other captions", sample.id), self.pictures
        places = ((start + number) % len(keys) for number in range(min(_OTHERS, len(keys))))
        return tuple(self.captions[keys[place]][0] for place in places if keys[place] != sample.picture_key)


def perturb_questions(
    access: GraphAccess,
    names: Sequence[str],
    scope: PerturbScope,
    images: Sequence[Path],
    files: Mapping[str, Sequence[Path]],
    model: ModelOptions | None = None,
    judge: ModelOptions | None = None,
) -> Perturbed:
    """Make variants of questions, have them judged where there is a judge, and save them.

    Without names all operations are done that are so by default. Pictures are looked for in ``images`` first. A
    ``model`` takes the place of rules where it can. Raises InputError, DatasetError, ConfigError, ResourceError and
    BudgetReached.
    """
    check_models(names, model, judge)
    run = access.choose_run(scope.run, incomplete=True)
    forms = form_counts(access, run) if FORM in names else []
    names = [name for name in names if name != FORM] or ([] if forms else default_operations())
    originals = _originals(access, run, scope, files)
    folders = ImageFolders((*images, *access.folder.image_folders))
    present = frozenset[str]() if scope.replace else _present(access.store, run)
    with common_budget(access, model, judge) as budget:
        with access.reporter, operations_for(access, names, originals, model, budget) as operations:
            compositions = with_control(read_compositions(names, *operations))
            tasks = [*_tasks(originals, compositions, scope.seeds)]
            save = partial(_save, access.store, access.folder.variant_images)
            run_loop(Executor(access.reporter).map(PerturbQuestions(folders, present), tasks, save))
        ids = {task.id for task in tasks}
        made = [variant for variant in stored_variants(access.store, run) if variant.id in ids]
        if judge is not None:
            with access.reporter:
                made = judge_variants(access, judge, originals, made, folders, budget)
    if scope.replace:
        remove_unused_pictures(access.folder, access.store)
    new = sum(variant.status == "kept" and variant.id not in present for variant in made)
    return Perturbed(run, len(originals), new, (*_counts(made, compositions), *forms))


def _originals(
    access: GraphAccess, run: str | None, scope: PerturbScope, files: Mapping[str, Sequence[Path]]
) -> list[Original]:
    with access.reporter.waiting("reading the questions"):
        pairs = _chosen(access.store, run, scope)
        ids = {key for sample, _ in pairs for key in (sample.image_id, sample.id.rsplit("/", 1)[-1])}
        annotations = read_annotations(wanted=ids, **files)
    access.store.save_loaded(question for _, question in pairs)
    captions = _captions(annotations, [sample for sample, _ in pairs])
    of_pictures = Originals(annotations, captions, tuple(captions))
    return [of_pictures.of(sample, question) for sample, question in pairs]


def form_counts(access: GraphAccess, run: str | None) -> list[OperationCount]:
    """Give questions the forms that change how an answer is given (MDK12, question types), and count them."""
    made = [make_run_forms(access, form, run, model=None, replace=False) for form in _FORMS]
    return [OperationCount(each.form, len(each.forms), dict(each.refused)) for each in made]


def default_operations() -> list[str]:
    """List the operations that kept the answer in nine of ten variants, or more, when they were looked at.

    Those whose packages are missing are left out, which a warning tells (KbeWarning).
    """
    names = [operation.name for operation in PICTURE_OPERATIONS.values() if operation.is_default]
    names += [operation.name for operation in TEXT_OPERATIONS.values() if operation.is_default]
    return names if has_extra("perturb") else [name for name in names if name != Style.name]


def with_control(compositions: Sequence[Composition]) -> list[Composition]:
    """Add the control where pictures are changed, as the first."""
    if not any(composition.pictures for composition in compositions):
        return list(compositions)
    control = Composition(CONTROL, (PICTURE_OPERATIONS[CONTROL],))
    return [control, *(each for each in compositions if each.name != CONTROL)]


def _chosen(store: Store, run: str | None, scope: PerturbScope) -> list[tuple[Sample, Question]]:
    hops = read_hops(scope.hops)
    pairs = [
        (sample, question)
        for sample, question in select(store, run=run, benchmark=scope.benchmark, loaded=True)
        if question.hop in hops
    ]
    if not pairs:
        raise InputError(f"no question of hops {scope.hops}; load a benchmark, or choose other hops")
    drawn = draw_ids({sample.id for sample, _ in pairs}, scope.number or len(pairs), 0)
    chosen = set(drawn)
    return [(sample, question) for sample, question in pairs if sample.id in chosen]


def _tasks(originals: Sequence[Original], compositions: Sequence[Composition], seeds: int) -> Iterator[Task]:
    for original in originals:
        for composition in compositions:
            for seed in range(seeds if composition.is_drawn else 1):
                yield Task(original, composition, seed)


def _captions(annotations: Annotations, samples: Sequence[Sample]) -> Mapping[str, tuple[str, ...]]:
    captions: dict[str, dict[str, None]] = defaultdict(dict)
    for sample in samples:
        for view in annotations.of(sample):
            if view.source in CAPTIONS and view.evidence:
                captions[sample.picture_key][view.evidence] = None
    return {key: tuple(each) for key, each in captions.items()}


def _present(store: Store, run: str | None) -> frozenset[str]:
    return frozenset(variant.id for variant in stored_variants(store, run) if variant.status != "refused")


async def _save(store: Store, pictures: Path, made: Sequence[MadeVariant]) -> None:
    await asyncio.to_thread(_write, store, pictures, made)


def _write(store: Store, pictures: Path, made: Sequence[MadeVariant]) -> None:
    for each in made:
        if each.picture:
            save_image(each.picture, pictures)
    store.save_variants([each.variant for each in made])


def _counts(variants: Sequence[QuestionVariant], compositions: Sequence[Composition]) -> Iterator[OperationCount]:
    for composition in compositions:
        own = [variant for variant in variants if variant.operation == composition.name]
        reasons = {
            status: dict(Counter(variant.reason for variant in own if variant.status == status).most_common())
            for status in ("refused", "rejected")
        }
        kept = sum(variant.status == "kept" for variant in own)
        yield OperationCount(composition.name, kept, **reasons)
