"""Answers of models that another program wrote: read from a file, matched with their questions, and saved."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.evaluate.evaluation import Evaluated
from kbe_graph.evaluate.judging import Judgement
from kbe_graph.evaluate.prediction_files import Matching, match_predictions, read_predictions
from kbe_graph.evaluate.prompting import CIRCULAR, PerturbedById, asked_words, rotations, with_answer
from kbe_graph.evaluate.reply_reading import WITHOUT_ANSWER, count_silent, read_reply
from kbe_graph.evaluate.ways import chosen_variants, perturbed_by_id, with_variants_named
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models.catalogue import own_family_of
from kbe_graph.types import FORMS, RAW, VARIANTS, Form, Prediction, Question, QuestionForm, Sample, Variant, form_id


class PredictionFile(NamedTuple):
    """A file of predictions, with the model, format and form that it does not name itself.

    ``read`` is the rule that reads answers out of replies.
    """

    path: Path
    model: str = ""
    format: str | None = None
    form: Form = "open"
    read: str = "auto"


def take_predictions(
    access: GraphAccess, file: PredictionFile, pairs: Sequence[tuple[Sample, Question]], run: str | None
) -> Matching:
    """Save the predictions of a file that answer questions, and return how they match.

    Raises DatasetError, and InputError where no id in the file is that of a question, or a question has no such form.
    """
    perturbed = perturbed_by_id(access, run)
    variant: Variant = "image" if file.form == "open" else file.form
    rows = read_predictions(file.path, model=file.model, format=file.format, variant=variant, read=file.read)
    by_id = {question.id: (sample, question) for sample, question in pairs}
    matching = _match(file.path, with_variants_named(rows.predictions, perturbed), by_id, run)
    forms = _forms_asked(access, file.path, matching.predictions, run, perturbed)
    answers = [
        _of_perturbed(file.path, prediction, by_id[prediction.question][1], perturbed, file.read)
        if (prediction.question, prediction.variant) in perturbed or prediction.variant not in VARIANTS
        else _with_chosen(prediction, *by_id[prediction.question], forms, file.read)
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
    return Evaluated(
        *(", ".join(models), run, taken + missing, taken, missing, judgement, *matching[1:]),
        empty=silent.empty,
        unread=silent.unread,
        refused=silent.refused,
    )


def _match(
    file: Path,
    predictions: Sequence[Prediction],
    by_id: Mapping[str, tuple[Sample, Question]],
    run: str | None,
) -> Matching:
    questions = [question for _, question in by_id.values()]
    samples = {sample.id: sample for sample, _ in by_id.values()}
    matching = match_predictions(predictions, questions, samples=samples)
    if matching.twice and not matching.predictions:
        raise InputError(
            f"{file}: {predictions[0].model} answers each question more than once, {matching.twice[0]!r} first; keep "
            "one answer, or number them in a field 'run'"
        )
    if not matching.predictions:
        raise _no_match(file, predictions[0].question, questions, run)
    return matching


def _forms_asked(
    access: GraphAccess, file: Path, predictions: Sequence[Prediction], run: str | None, perturbed: PerturbedById
) -> Mapping[str, QuestionForm]:
    forms = access.forms_by_id(run, (prediction.variant for prediction in predictions))
    chosen_variants([prediction.variant for prediction in predictions], perturbed)
    for question, variant in ((prediction.question, prediction.variant) for prediction in predictions):
        if variant in FORMS and form_id(question, variant) not in forms:
            raise InputError(
                f"{file}: {question!r} has no form {variant!r}; make it first, or say with `form` in which form the "
                "questions were asked"
            )
    return forms


def _of_perturbed(
    file: Path, prediction: Prediction, question: Question, perturbed: PerturbedById, rule: str
) -> Prediction:
    made = perturbed.get((prediction.question, prediction.variant), ())
    variant = next((each for each in made if each.run == prediction.run), None)
    if variant is None:
        raise InputError(
            f"{file}: {prediction.question!r} has no variant {prediction.variant!r} of run {prediction.run} (seed "
            f"{prediction.run - 1}); give answers to variants that `perturb` made here"
        )
    asked = replace(prediction, asked="" if variant.text == question.text else variant.text)
    return asked if asked.read_by else with_answer(asked, (), rule)


def _no_match(file: Path, id_: str, questions: Sequence[Question], run: str | None) -> InputError:
    if not questions:
        return InputError(f"{file}: there are no questions that it could answer yet; load a benchmark first")
    samples = [question.sample.split("/", 2) for question in questions if question.run == RAW]
    owners = sorted({parts[0] for parts in samples if parts[-1] == id_})
    if len(owners) > 1:
        return InputError(
            f"{file}: benchmarks {', '.join(owners)} all have ids such as {id_!r}; name one with `benchmark`"
        )
    if any(parts[-1] == f"{id_}-2" for parts in samples):
        return InputError(
            f"{file}: several questions about one picture share the id {id_!r}; give their ids in this "
            f"workspace, {id_!r} and {id_ + '-2'!r}"
        )
    return InputError(
        f"{file}: no prediction answers a question of run {run or 'raw'!r}; ids here look like {id_!r}, those "
        f"of questions like {questions[0].id!r}"
    )


def _as_lettered(predictions: Sequence[Prediction], pairs: Mapping[str, tuple[Sample, Question]]) -> list[Prediction]:
    """Return predictions as answers to options where a file does not say so, but answers these questions by letter."""
    choices = {id_: sample.choices for id_, (sample, question) in pairs.items() if question.run == RAW}
    untold = [each for each in predictions if each.variant == "image" and len(set(choices.get(each.question, ()))) > 1]
    rules = {read_reply(each.whole_reply, choices[each.question]).rule for each in untold}
    if "letter" not in rules or not rules <= {"letter", *WITHOUT_ANSWER}:
        return list(predictions)
    ids = {each.id for each in untold}
    return [replace(each, variant="options") if each.id in ids else each for each in predictions]


def _with_chosen(
    prediction: Prediction, sample: Sample, question: Question, forms: Mapping[str, QuestionForm], rule: str
) -> Prediction:
    if prediction.read_by and prediction.variant != CIRCULAR:
        return prediction
    words = asked_words(sample, question, prediction.variant, forms=forms)
    options = words.options if words else ()
    if prediction.variant == CIRCULAR:
        if prediction.run > len(options):
            raise InputError(
                f"question {question.id!r} has {len(options)} options, so there is no rotation "
                f"{prediction.run}; load the benchmark with its options, or leave that prediction out"
            )
        options = rotations(question, options)[prediction.run - 1].options
    return prediction if prediction.read_by else with_answer(prediction, options, rule)
