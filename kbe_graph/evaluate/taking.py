"""Answers of models that another program wrote: read from a file, matched with their questions, and saved."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from kbe_graph.errors import InputError
from kbe_graph.evaluate.evaluation import Evaluated
from kbe_graph.evaluate.judging import Judgement
from kbe_graph.evaluate.prompting import (
    CIRCULAR,
    AskedWords,
    PerturbedById,
    asked_words,
    askings,
    perturbed_by_id,
    with_variants_named,
)
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models.catalogue import own_family_of
from kbe_graph.scoring.prediction_files import Matching, match_predictions, read_predictions
from kbe_graph.scoring.reply_reading import UNREAD, count_silent, read_reply, with_answer
from kbe_graph.types import FORMS, RAW, VARIANTS, Form, Prediction, Question, Sample, Variant

_FEW = 4  # with more replies in other words for each letter, letters are words


def take_predictions(
    access: GraphAccess,
    file: Path,
    pairs: Sequence[tuple[Sample, Question]],
    run: str | None,
    *,
    model: str = "",
    format: str | None = None,  # noqa: A002 - the option's name
    form: Form = "open",
) -> Matching:
    """Save the predictions of a file that answer questions, and return how they match.

    ``model``, ``format`` and ``form`` are those of a file that does not name its own. Raises DatasetError, and
    InputError where no id in the file is that of a question, or a question has no such form.
    """
    perturbed = perturbed_by_id(access, run)
    variant: Variant = "image" if form == "open" else form
    rows = read_predictions(file, model=model, format=format, variant=variant)
    by_id = {question.id: (sample, question) for sample, question in pairs}
    matching = _match(file, with_variants_named(rows.predictions, perturbed), [each for _, each in pairs], run)
    words_of = partial(asked_words, forms=access.forms_by_id(run, (each.variant for each in matching.predictions)))
    answers = [
        _with_answer(file, prediction, by_id[prediction.question], perturbed, words_of)
        for prediction in _as_lettered(matching.predictions, by_id)
    ]
    models = {prediction.model for prediction in answers}
    before = {each.unjudged: each for model in models for each in access.predictions(run, model)}
    taken = tuple(before.get(prediction, prediction) for prediction in answers)
    access.store.save_loaded(by_id[prediction.question][1] for prediction in taken)
    access.store.save_predictions(taken, {model: own_family_of(model) for model in models})
    return matching._replace(predictions=taken)


def sum_up(matching: Matching, run: str | None, judgement: Judgement) -> Evaluated:
    """Sum up predictions that were taken in and judged."""
    taken, missing = len(matching.predictions), len(matching.missing)
    silent = count_silent(prediction.read_by for prediction in matching.predictions)
    models = sorted({prediction.model for prediction in matching.predictions})
    counts = silent["empty"], silent["unread"], silent["refused"]
    return Evaluated(", ".join(models), run, taken + missing, taken, missing, judgement, *matching[1:], *counts)


def _match(file: Path, predictions: Sequence[Prediction], questions: Sequence[Question], run: str | None) -> Matching:
    matching = match_predictions(predictions, questions)
    if matching.predictions:
        return matching
    if matching.twice:
        raise InputError(
            f"{file}: {predictions[0].model} answers each question more than once, {matching.twice[0]!r} first; keep "
            "one answer, or number them in a field 'run'"
        )
    if not questions:
        raise InputError(f"{file}: there are no questions that it could answer yet; load a benchmark first")
    raise InputError(
        f"{file}: no prediction answers a question of run {run or 'raw'!r}; ids here look like "
        f"{predictions[0].question!r}, those of questions like {questions[0].id!r}; if several benchmarks have such "
        "ids, name one with `benchmark`"
    )


def _as_lettered(predictions: Sequence[Prediction], pairs: Mapping[str, tuple[Sample, Question]]) -> list[Prediction]:
    """Return predictions as answers to options where a file does not say so, but its replies are letters of options.

    A few letters among many replies in other words are words too.
    """
    choices = {id_: sample.choices for id_, (sample, question) in pairs.items() if question.run == RAW}
    untold = [each for each in predictions if each.variant == "image" and len(set(choices.get(each.question, ()))) > 1]
    rules = Counter((each.model, read_reply(each.whole_reply, choices[each.question]).rule) for each in untold)
    by_letter = {
        model for model, rule in rules if rule == "letter" and _FEW * rules[model, rule] >= rules[model, UNREAD]
    }
    ids = {each.id for each in untold if each.model in by_letter}
    return [replace(each, variant="options") if each.id in ids else each for each in predictions]


def _with_answer(
    file: Path,
    prediction: Prediction,
    pair: tuple[Sample, Question],
    perturbed: PerturbedById,
    words_of: Callable[[Sample, Question, Variant], AskedWords | None],
) -> Prediction:
    variant, run = prediction.variant, prediction.run
    asked = askings([pair], [variant], run, words_of, perturbed)
    asking = next((each for each in asked if each.run == run), None)
    if asking is None and (variant not in VARIANTS or variant in {*FORMS, CIRCULAR}):
        raise InputError(
            f"{file}: {prediction.question!r} has no {variant!r} of run {run}; make the form or variant here "
            "first, load the benchmark with its options, or say with `form` in which form the questions were asked"
        )
    if asking and (prediction.question, variant) in perturbed:
        prediction = replace(prediction, asked="" if asking.words.text == pair[1].text else asking.words.text)
    return prediction if prediction.read_by else with_answer(prediction, asking.words.options if asking else ())
