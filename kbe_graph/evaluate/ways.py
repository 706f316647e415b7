"""Ways to ask a question: as it stands, in a form, or as an operation perturbed it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from kbe_graph.errors import InputError
from kbe_graph.evaluate.prompting import PerturbedById
from kbe_graph.graph_access import GraphAccess
from kbe_graph.perturb.variant import is_operation
from kbe_graph.text import id_number
from kbe_graph.types import VARIANTS, Prediction, QuestionVariant, Variant

PARAPHRASE = "paraphrase"  # a way to ask, which is also an operation
PERTURBED = "perturbed"
"""Stands for all operations by which questions were perturbed."""


def perturbed_by_id(access: GraphAccess, run: str | None, ways: Sequence[Variant] = (PARAPHRASE,)) -> PerturbedById:
    """Read the perturbed questions that may be asked, by the question's id and the operation, in order of seeds.

    A question that no seed gave a variant of has an empty list. There are none where no way to ask needs them.
    """
    kept: dict[tuple[str, str], list[QuestionVariant]] = defaultdict(list)
    for variant in access.variants(run) if {*ways} - {*VARIANTS} | {*ways} & {PARAPHRASE} else ():
        kept[variant.question, variant.operation] += [variant] if variant.status == "kept" else []
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
            raise InputError("no question was perturbed; make variants with `perturb`")
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
