"""The perturbed questions of a workspace, as they are asked, counted and forgotten."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kbe_graph.errors import InputError
from kbe_graph.evaluate.prompting import PerturbedById
from kbe_graph.folder import Folder
from kbe_graph.graph_access import with_raw
from kbe_graph.perturb.methods import is_operation
from kbe_graph.text import id_number
from kbe_graph.types import RAW, VARIANTS, Prediction, QuestionVariant, Variant

if TYPE_CHECKING:
    from kbe_graph.evaluate.surface import VariantCount
    from kbe_graph.store import Store

PARAPHRASE = "paraphrase"  # a way to ask, which is also an operation
PERTURBED = "perturbed"
"""Stands for all operations by which questions were perturbed."""


def stored_variants(store: "Store", run: str | None, *, operation: str | None = None) -> list[QuestionVariant]:
    """Read the variants of the raw questions and those of a run, by all operations or one, refusals among them."""
    return [variant for name in with_raw(run) for variant in store.variants(run=name, operation=operation)]


def count_variants(store: "Store", run: str | None) -> "list[VariantCount]":
    """Count the variants of the raw questions and those of a run, by operation, status and reason."""
    return [row for name in with_raw(run) for row in store.variant_counts(run=name)]


def asked_by_id(store: "Store", run: str | None, ways: Sequence[Variant]) -> PerturbedById:
    """Read the perturbed questions as ``perturbed_by_id`` does; none where no way to ask needs them."""
    return perturbed_by_id(store, run) if {*ways} - {*VARIANTS} | {*ways} & {PARAPHRASE} else {}


def perturbed_by_id(store: "Store", run: str | None) -> PerturbedById:
    """Read the perturbed questions that may be asked, by the question's id and the operation, in order of seeds.

    A question that no seed gave a variant of has an empty list.
    """
    kept: dict[tuple[str, str], list[QuestionVariant]] = defaultdict(list)
    for variant in stored_variants(store, run):
        seeds = kept[variant.question, variant.operation]
        seeds += [variant] if variant.status == "kept" else []
    return dict(kept)


def check_ways(names: Sequence[Variant]) -> None:
    """Raise InputError for a name that can be no way to ask, whatever was perturbed."""
    for name in names:
        if name not in {*VARIANTS, PERTURBED} and not is_operation(name):
            raise InputError(
                f"no variant {name!r}; the variants are {', '.join(VARIANTS)}, and the operations of `perturb`"
            )


def chosen_variants(names: Sequence[Variant], perturbed: PerturbedById) -> list[Variant]:
    """Return the ways to ask that were named, with all operations in place of ``perturbed``.

    Raises InputError for an operation that perturbed no question.
    """
    operations = sorted({operation for (_, operation), made in perturbed.items() if made})
    for name in names:
        if name == PERTURBED and not operations:
            raise InputError("no question was perturbed; make variants first (`perturb`)")
        if name not in {*VARIANTS, *operations, PERTURBED}:
            made = ", ".join(operations) or "none"
            raise InputError(f"no question was perturbed by {name!r}; the operations that made variants are: {made}")
    every = [each for name in names for each in (operations if name == PERTURBED else [name])]
    return list(dict.fromkeys(every))


def with_variants_named(predictions: Sequence[Prediction], perturbed: PerturbedById) -> list[Prediction]:
    """Return predictions whose ids an export gave to variants as those of the question, operation and seed."""
    variants = [variant for each in perturbed.values() for variant in each]
    by_id = {name: variant for variant in variants for name in (variant.id, str(id_number(variant.id)))}
    return [
        replace(prediction, question=variant.question, variant=variant.operation, run=variant.run)
        if (variant := by_id.get(prediction.question))
        else prediction
        for prediction in predictions
    ]


def remove_unused_pictures(folder: Folder, store: "Store") -> None:
    """Remove the perturbed pictures that no question of the graph is asked with."""
    files = [*folder.variant_images.glob("*")] if folder.variant_images.is_dir() else []
    if files:
        used = _picture_names(store, (run.name for run in store.runs()))
        for file in files:
            if file.name not in used:
                file.unlink(missing_ok=True)


def _picture_names(store: "Store", runs: Iterable[str]) -> set[str]:
    return {variant.image for run in (RAW, *runs) for variant in store.variants(run=run)}
