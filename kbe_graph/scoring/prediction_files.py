"""Reading of prediction files of any supported harness, and matching of predictions to questions by id."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.files.opening import MOST_ID, MOST_TEXT
from kbe_graph.plugins import Registry
from kbe_graph.scoring.prediction_formats import FORMATS as BUILT_IN
from kbe_graph.scoring.prediction_formats import PredictionFormat, PredictionRow, open_predictions, refuse_gold
from kbe_graph.scoring.reply_reading import CUT, with_answer
from kbe_graph.text import id_number, name_fault, quoted
from kbe_graph.types import FORMS, LINKS, Prediction, Question, Variant


class Matching(NamedTuple):
    """Predictions matched to question ids, and the ids that did not match.

    ``unknown`` lists ids of the file without a question. ``twice`` lists questions that a model answered more than once
    in the same run and variant; none of these answers is kept. ``missing`` lists questions that lack an answer in some
    run.
    """

    predictions: tuple[Prediction, ...]
    unknown: tuple[str, ...] = ()
    twice: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def match_predictions(predictions: Sequence[Prediction], questions: Sequence[Question]) -> Matching:
    """Match predictions to the questions that they answer.

    An id in a file is matched as a question's id; for a raw question, as its sample's id or the benchmark's part of it,
    if unambiguous; or as the number that represents the question in formats that allow only numbers. An id that the
    benchmark gave to several questions is unknown unless the file also has their numbered ids (``ID-2``).
    """
    own_ids = {question.id: question.id for question in questions}
    numbers = {str(id_number(id_)): id_ for id_ in own_ids}
    ids = {**numbers, **_source_ids(questions, {prediction.question for prediction in predictions}), **own_ids}
    matched, unknown = [], dict[str, None]()
    for prediction in predictions:
        if id_ := ids.get(prediction.question) or ids.get(_whole(prediction.question)):
            matched.append(replace(prediction, question=id_))
        else:
            unknown[prediction.question] = None
    counts = Counter(prediction.id for prediction in matched)
    single = tuple(prediction for prediction in matched if counts[prediction.id] == 1)
    twice = dict.fromkeys(prediction.question for prediction in matched if counts[prediction.id] > 1)
    askings = {(each.model, each.run, each.variant) for each in matched if each.variant not in {"circular", LINKS}}
    answers = Counter(prediction.question for prediction in single)
    missing = tuple(id_ for id_ in own_ids if answers[id_] < max(1, len(askings)) and id_ not in twice)
    return Matching(single, tuple(unknown), tuple(twice), missing)


def _whole(id_: str) -> str:
    return id_.removesuffix(".0") if id_[:-2].isdecimal() else id_  # pandas writes numbers beside empty cells as floats


def _source_ids(questions: Sequence[Question], given: Collection[str]) -> dict[str, str]:
    raw = [question for question in questions if question.kind == "raw"]
    named = [(name, question.id) for question in raw for name in {question.sample, own_id(question.sample)}]
    counts = Counter(name for name, _ in named)
    ids = {name: id_ for name, id_ in named if counts[name] == 1}
    samples = {question.sample for question in raw}
    several = {name for name in ids if f"{name}-2" in ids and f"{name}-2" not in given}
    return {name: id_ for name, id_ in ids.items() if name in samples or name not in several}


def own_id(sample: str) -> str:
    """Return the benchmark's part of a sample's id."""
    return sample.split("/", 2)[-1]


PREDICTION_FORMATS: Registry[PredictionFormat] = Registry("prediction format", "kbe_graph.prediction_formats", BUILT_IN)


class Predictions(NamedTuple):
    """The predictions of a file in order, their format, and the ids whose call failed.

    The ids are those of the file; ``match_predictions`` finds the questions.
    """

    predictions: tuple[Prediction, ...]
    format: str
    failed: tuple[str, ...] = ()


def read_predictions(
    file: object,
    *,
    format: str | None = None,  # noqa: A002 - the option's name
    model: str = "",
    variant: Variant = "image",
) -> Predictions:
    """Read a file of predictions, gzipped or not (archives and workbooks are already compressed), or rows.

    ``format`` is a name in ``PREDICTION_FORMATS``, by default detected from the content. ``model`` takes the place of
    the name that the file gives. ``variant`` applies to rows that do not give their own; a form as ``variant`` also
    applies to rows that only indicate options. If a reply's options are not in the file, it is kept as is, to be read
    by ``with_answer``.

    Raises DatasetError naming file, line and field; InputError for an unknown format, if neither the file nor ``model``
    names the model, or if ``model`` would be the name of several.
    """
    source = open_predictions(file)
    file = source.file
    fields = source.fields or tuple(source.members)
    if format is None:
        refuse_gold(source)
    name = format or PREDICTION_FORMATS.recognise(source, file=file, fields=fields)
    predictions, failed, named = [], [], dict[str, None]()
    for row in PREDICTION_FORMATS.require(name).rows(source):
        if not (row.model or model):
            raise InputError(f"{file} does not say which model answered; give its name with `model`")
        named |= dict.fromkeys(filter(None, [row.model]))
        if model and len(named) > 1:
            raise InputError(f"{file} has answers of {quoted(named)}; leave out `model`, or give a file of one model")
        prediction = _prediction(row, model or row.model, variant)
        if row.text is None:
            failed.append(row.id)
        else:
            predictions.append(prediction)
    if not predictions:
        raise DatasetError(
            file, f"contains no prediction ({len(failed)} requests failed); give a file with predictions"
        )
    return Predictions(tuple(predictions), name, tuple(failed))


def _prediction(row: PredictionRow, model: str, variant: Variant) -> Prediction:
    for field, text in (("id", row.id), ("answer", row.text or ""), ("model", model)):
        row.record.refuse_long(field, [text], MOST_TEXT if field == "answer" else MOST_ID)
        if field != "answer" and (fault := name_fault(text)):
            raise row.record.error(f"{field} {text!r} {fault}")
    if row.run == 0:
        raise row.record.error("'run' is 0; runs count from 1")
    is_unsaid = not row.variant or (row.variant == "options" and variant in FORMS)
    asked = variant if is_unsaid else row.variant
    prediction = Prediction(model, row.id, row.text or "", run=row.run or 1, variant=asked, tokens=row.tokens)
    if row.is_cut:
        return replace(prediction, text="", reply=prediction.text, read_by=CUT)
    if not row.options:
        return prediction
    options = () if prediction.variant == "several" else row.options  # a reply may name several options
    return with_answer(prediction, options)
