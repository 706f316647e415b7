"""The JSON Lines format: one line per question, including raw ones (hop 0)."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kbe_graph.english.names import without_names
from kbe_graph.export.selection import Selection
from kbe_graph.files.whole import replacing
from kbe_graph.review.state import first_version
from kbe_graph.types import Alternative, Guess, Question, QuestionForm, QuestionVariant, Review, Sample, Triplet

FIELDS = frozenset(
    {
        *("id", "sample", "benchmark", "split", "hop", "kind", "image", "question", "answer", "aliases", "parent"),
        *("key", "run", "status", "reason"),
    }
)
FURTHER_FIELDS = frozenset(
    {
        *("more_images", "rivals", "replaced_answer", "shape", "depth", "made_by", "families", "top_answer_share"),
        *("form", "guesses", "alternatives", "revision_of", "reviews", "variant", "origin"),
    }
)
"""The fields of each line, and those of some."""


def is_export(text: str) -> bool:
    """Return True if a text begins with a line of an export, to which no other program added a field."""
    try:
        fields = {*json.loads(text.partition("\n")[0]).keys()}
    except (ValueError, RecursionError, AttributeError):
        return False
    return FIELDS <= fields <= FIELDS | FURTHER_FIELDS


def key_record(triplet: Triplet) -> dict[str, str]:
    """Convert a triplet of a key path to a mapping."""
    return {
        "subject": triplet.subject.label,
        "relation": triplet.relation,
        "object": triplet.object.label,
        "graph": triplet.graph,
        "source": triplet.source,
        "source_ref": triplet.source_ref,
    }


def record(sample: Sample, question: Question) -> dict[str, Any]:
    """Build the fields of a question as a mapping.

    The rivals of a raw question are other answers that as many annotators gave; ``replaced_answer`` is the benchmark's,
    if a model chose another accepted answer instead. ``shape`` and ``depth`` are those of a question by shapes, and
    ``made_by`` says that the raw question is no benchmark's. Each is included if there is one.
    """
    rivals = without_names(sample.answer, sample.rivals) if question.kind == "raw" else ()
    more: dict[str, Any] = {
        "more_images": list(sample.more_images),
        "rivals": list(rivals),
        "replaced_answer": sample.replaced,
    }
    if question.shape:
        more |= {"shape": question.shape, "depth": question.difficulty}
    if question.kind == "raw" and sample.made:
        more["made_by"] = question.provenance.maker
    return {
        "id": question.id,
        "sample": sample.id,
        "benchmark": sample.benchmark,
        "split": sample.split,
        "hop": question.hop,
        "kind": question.kind,
        "image": sample.image,
        "question": question.text,
        "answer": question.answer,
        "aliases": list(question.aliases),
        "parent": question.parent or None,
        "key": [key_record(triplet) for triplet in question.key],
        "run": question.run,
        "status": question.status,
        "reason": question.reason or None,
        **{name: value for name, value in more.items() if value},
    }


def review_record(id_: str, reviews: Sequence[Review]) -> dict[str, Any]:
    """Build the fields for the first version of a revised question and for reviewers' decisions, if there are any."""
    names = ("reviewer", "verdict", "time", "reason", "question")
    decided = [{name: getattr(review, name) for name in names} for review in reviews]
    first = first_version(id_)
    return {**({"revision_of": first} if first != id_ else {}), **({"reviews": decided} if decided else {})}


def said_record(guesses: Sequence[Guess], alternatives: Sequence[Alternative]) -> dict[str, Any]:
    """Build the fields for guesses without the image and for alternatives that the words allow, if there are any."""
    names = ("text", "answer", "guess", "right", "model")
    record: dict[str, Any] = {}
    if guesses:
        record["guesses"] = [{name: getattr(guess, name) for name in names} for guess in guesses]
    if alternatives:
        record["alternatives"] = [alternative._asdict() for alternative in alternatives]
    return record


def _line(selection: Selection, sample: Sample, question: Question) -> dict[str, Any]:
    id_ = question.id
    share, form = selection.top_shares.get(id_), selection.forms.get(id_)
    variant = selection.variants.get(id_)
    more = {
        "families": selection.families.get(question.run),
        "top_answer_share": share and share._asdict(),
        "form": form and _form_record(form),
        **said_record(selection.guesses.get(id_, ()), selection.alternatives.get(id_, ())),
        **review_record(id_, selection.reviews.get(id_, ())),
        "variant": variant and _variant_record(variant),
        "origin": selection.origins.get(sample.id),
    }
    return record(sample, question) | {name: value for name, value in more.items() if value}


def _variant_record(variant: QuestionVariant) -> dict[str, Any]:
    recipe = json.loads(variant.recipe)
    return {"operation": variant.operation, "seed": variant.seed, "recipe": recipe, "of": variant.question}


def _form_record(form: QuestionForm) -> dict[str, Any]:
    lists = {name: list(getattr(form, name)) for name in ("options", "answers", "letters", "facts")}
    return {"form": form.form, "text": form.text, **lists}


def write_jsonl(file: Path, selection: Selection) -> int:
    """Write the questions to ``file`` and return their number; a failure keeps the old file. Raises InputError."""
    with replacing(file) as stream:
        for sample, question in selection:
            stream.write(json.dumps(_line(selection, sample, question), ensure_ascii=False) + "\n")
    return len(selection.questions)
