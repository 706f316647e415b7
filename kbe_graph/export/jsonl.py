"""The JSON Lines format: one line per question, including raw ones (hop 0)."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kbe_graph.english.same_thing import without_names
from kbe_graph.export.selection import Selection, TopShare
from kbe_graph.files.whole import replacing
from kbe_graph.types import Alternative, Guess, Question, QuestionForm, QuestionVariant, Sample, Triplet


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


def record(
    sample: Sample,
    question: Question,
    families: str = "",
    top_share: TopShare | None = None,
    form: QuestionForm | None = None,
    guesses: Sequence[Guess] = (),
    alternatives: Sequence[Alternative] = (),
) -> dict[str, Any]:
    """Build the exported line of a question as a mapping.

    ``families`` says which models of its run belong to one family; it is included only if models were asked.
    ``top_share`` is the share of the most frequent answer among questions with the same relations, included for kept
    explored questions. ``form`` is the question in another form than open. ``guesses``, ``alternatives`` and ``rivals``
    are included if there are any; the rivals of a raw question are other answers that as many annotators gave.
    ``replaced_answer`` is the benchmark's, if a model chose another accepted answer instead.
    """
    line = _question_record(sample, question)
    if sample.more_images:
        line["more_images"] = list(sample.more_images)
    if question.kind == "raw" and (split := without_names(sample.answer, sample.rivals)):
        line["rivals"] = list(split)
    if sample.replaced:
        line["replaced_answer"] = sample.replaced
    if families:
        line["families"] = families
    if top_share:
        line["top_answer_share"] = top_share._asdict()
    if form:
        line["form"] = _form_record(form)
    return line | said_record(guesses, alternatives)


def _question_record(sample: Sample, question: Question) -> dict[str, Any]:
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
    }


def said_record(guesses: Sequence[Guess], alternatives: Sequence[Alternative]) -> dict[str, Any]:
    """Build the fields for guesses without the image and for alternatives that the words allow, if there are any."""
    names = ("text", "answer", "guess", "right", "model")
    record: dict[str, Any] = {}
    if guesses:
        record["guesses"] = [{name: getattr(guess, name) for name in names} for guess in guesses]
    if alternatives:
        record["alternatives"] = [alternative._asdict() for alternative in alternatives]
    return record


def _variant_record(variant: QuestionVariant) -> dict[str, Any]:
    recipe = json.loads(variant.recipe)
    return {"operation": variant.operation, "seed": variant.seed, "recipe": recipe, "of": variant.question}


def _form_record(form: QuestionForm) -> dict[str, Any]:
    lists = {name: list(getattr(form, name)) for name in ("options", "answers", "letters", "facts")}
    return {"form": form.form, "text": form.text, **lists}


def write_jsonl(file: Path, selection: Selection) -> int:
    """Write the questions to ``file`` and return their number; a failure keeps the old file. Raises InputError.

    If another form than open is requested, questions without it are left out.
    """
    families, count = selection.families, 0
    with replacing(file) as stream:
        for sample, question in selection:
            form = selection.forms.get(question.id)
            if selection.form != "open" and not form:
                continue
            share = selection.top_shares.get(question.id)
            more = selection.guesses.get(question.id, ()), selection.alternatives.get(question.id, ())
            line = record(sample, question, families.get(question.run, ""), share, form, *more)
            if variant := selection.variants.get(question.id):
                line["variant"] = _variant_record(variant)
            if origin := selection.origins.get(sample.id):
                line["origin"] = origin
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
            count += 1
    return count
