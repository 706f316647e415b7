"""Reading of prediction files of any supported harness, and matching of predictions to questions by id."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.evaluate.prediction_formats import FORMATS as BUILT_IN
from kbe_graph.evaluate.prediction_formats import PredictionFormat, PredictionRow, open_predictions
from kbe_graph.evaluate.prompting import CIRCULAR, with_answer
from kbe_graph.files.opening import MOST_ID
from kbe_graph.plugins import Registry
from kbe_graph.text import id_number, name_fault
from kbe_graph.types import FORMS, RAW, Prediction, Question, Sample, Variant


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


def match_predictions(
    predictions: Sequence[Prediction],
    questions: Sequence[Question],
    *,
    exported: Mapping[str, str] | None = None,
    samples: Mapping[str, Sample] = MappingProxyType({}),
) -> Matching:
    """Match predictions to the questions that they answer.

    An id in a file is matched as a question's id; as an exported id, which ``exported`` maps to a question's; for a raw
    question, as its sample's id or the benchmark's part of it, if unambiguous; or as the number that represents the
    question in formats that allow only numbers. ``samples`` is keyed by id: if a sample has options, the number of its
    question plus N x 1,000,000 is its rotation N (MMBench). An id that the benchmark gave to several questions is
    unknown unless the file also has their numbered ids (``ID-2``).
    """
    own_ids = {question.id: question.id for question in questions}
    numbers = {str(id_number(id_)): id_ for id_ in own_ids}
    given = {prediction.question for prediction in predictions}
    ids = {**numbers, **_source_ids(questions, given), **own_ids, **(exported or {})}
    predictions = [
        prediction if prediction.question in ids else replace(prediction, question=_whole(prediction.question))
        for prediction in predictions
    ]
    options = {
        question.id: len(samples[question.sample].choices)
        for question in questions
        if question.run == RAW and question.sample in samples
    }
    predictions = _with_rotations(predictions, ids, options)
    unknown = dict.fromkeys(
        prediction.question for prediction in predictions if ids.get(prediction.question) not in own_ids
    )
    matched = [
        replace(prediction, question=ids[prediction.question])
        for prediction in predictions
        if prediction.question not in unknown
    ]
    counts = Counter(prediction.id for prediction in matched)
    single = tuple(prediction for prediction in matched if counts[prediction.id] == 1)
    twice = dict.fromkeys(prediction.question for prediction in matched if counts[prediction.id] > 1)
    wanted = _askings_of(matched, own_ids, options)
    answers = Counter(prediction.question for prediction in single)
    missing = tuple(id_ for id_ in own_ids if answers[id_] < max(1, wanted[id_]) and id_ not in twice)
    return Matching(single, tuple(unknown), tuple(twice), missing)


def _whole(id_: str) -> str:
    return id_.removesuffix(".0") if id_[:-2].isdecimal() else id_  # pandas writes numbers beside empty cells as floats


def _askings_of(
    predictions: Sequence[Prediction], questions: Iterable[str], options: Mapping[str, int]
) -> Mapping[str, int]:
    askings = {(prediction.model, prediction.run, prediction.variant) for prediction in predictions}
    rotated = [run for _, run, variant in askings if variant == CIRCULAR]
    others = len(askings) - len(rotated)
    return {id_: others + sum(run <= options.get(id_, run) for run in rotated) for id_ in questions}


_ROTATION, _LONG = 1_000_000, 20  # added to an id per rotation; such ids have fewer digits


def _with_rotations(
    predictions: Sequence[Prediction], ids: Mapping[str, str], options: Mapping[str, int]
) -> list[Prediction]:
    rotations = [_rotation(prediction.question, ids, options) for prediction in predictions]
    pairs = list(zip(predictions, rotations, strict=True))
    models = {prediction.model for prediction, rotation in pairs if rotation and rotation.turns}
    return [
        _rotated(prediction, rotation) if rotation and prediction.model in models else prediction
        for prediction, rotation in pairs
    ]


class _Rotation(NamedTuple):
    question: str
    turns: int


def _rotation(id_: str, ids: Mapping[str, str], options: Mapping[str, int]) -> _Rotation | None:
    turns, first = 0, id_
    if id_ not in ids and id_.isdecimal() and len(id_) < _LONG:
        turns, first = int(id_) // _ROTATION, str(int(id_) % _ROTATION)
    question = ids.get(first, "")
    return _Rotation(question, turns) if turns < options.get(question, 0) else None


def _rotated(prediction: Prediction, rotation: _Rotation) -> Prediction:
    if (prediction.variant, prediction.run) not in {("image", 1), ("options", 1)}:
        return prediction
    if prediction.variant == "image":
        prediction = replace(prediction, text=prediction.whole_reply, reply="", read_by="")
    return replace(prediction, question=rotation.question, variant=CIRCULAR, run=rotation.turns + 1)


def _source_ids(questions: Sequence[Question], given: Collection[str]) -> dict[str, str]:
    named = [
        (name, question.id)
        for question in questions
        if question.kind == "raw"
        for name in (question.sample, own_id(question.sample))
    ]
    counts = Counter(name for name, _ in dict.fromkeys(named))
    ids = {name: id_ for name, id_ in named if counts[name] == 1}
    samples = {question.sample for question in questions}
    return {name: id_ for name, id_ in ids.items() if name in samples or not _is_of_several(name, ids, given)}


def own_id(sample: str) -> str:
    """Return the benchmark's part of a sample's id."""
    return sample.split("/", 2)[-1]


def _is_of_several(name: str, ids: Collection[str], given: Collection[str]) -> bool:
    second = f"{name}-2"
    return second in ids and second not in given


PREDICTION_FORMATS: Registry[PredictionFormat] = Registry("prediction format", "kbe_graph.prediction_formats", BUILT_IN)


class Predictions(NamedTuple):
    """The predictions of a file in order, their format, and the ids whose call failed.

    The ids are those of the file; ``match_predictions`` finds the questions.
    """

    predictions: tuple[Prediction, ...]
    format: str
    failed: tuple[str, ...] = ()


def read_predictions(
    file: Path,
    *,
    format: str | None = None,  # noqa: A002 - the option's name
    model: str = "",
    run: int = 1,
    variant: Variant = "image",
    read: str = "auto",
) -> Predictions:
    """Read a file of predictions, gzipped or not (archives and workbooks are already compressed).

    ``format`` is a name in ``PREDICTION_FORMATS``, by default detected from the content. ``model``, ``run`` and
    ``variant`` apply to rows that do not give their own; a form as ``variant`` also applies to rows that only indicate
    options. Answers are read from the replies by the rule ``read`` of ``READING_RULES``; if a reply's options are not
    in the file, it is kept as is, to be read by ``with_answer``.

    Raises DatasetError naming file, line and field; InputError for an unknown format, or if neither the file nor
    ``model`` names the model.
    """
    source = open_predictions(file)
    fields = source.fields or tuple(source.members)
    name = format or PREDICTION_FORMATS.recognise(source, file=file, fields=fields)
    predictions, failed = [], []
    for row in PREDICTION_FORMATS.require(name).rows(source):
        _check(row, row.model or model)
        if row.text is None:
            failed.append(row.id)
        else:
            predictions.append(_with_read_answer(row, _prediction(row, row.text, model, run, variant), read))
    if not predictions:
        raise DatasetError(
            file, f"contains no prediction ({len(failed)} requests failed); give a file with predictions"
        )
    return Predictions(tuple(predictions), name, tuple(failed))


def _check(row: PredictionRow, model: str) -> None:
    row.record.refuse_long("id", [row.id], MOST_ID)
    row.record.refuse_long("answer", [row.text or ""])
    row.record.refuse_long("model", [model], MOST_ID)
    if not model:
        raise InputError(f"{row.record.file} does not say which model answered; give its name")
    for field, value in (("id", row.id), ("model", model)):
        if fault := name_fault(value):
            raise row.record.error(f"{field} {value!r} {fault}")
    if row.run == 0:
        raise row.record.error("'run' is 0; runs count from 1")


def _prediction(row: PredictionRow, text: str, model: str, run: int, variant: Variant) -> Prediction:
    is_unsaid = not row.variant or (row.variant == "options" and variant in FORMS)
    return Prediction(
        row.model or model,
        row.id,
        text,
        run=row.run or run,
        variant=variant if is_unsaid else row.variant,
        tokens=row.tokens,
    )


def _with_read_answer(row: PredictionRow, prediction: Prediction, rule: str) -> Prediction:
    if not row.options:
        return prediction
    options = () if prediction.variant == "several" else row.options  # a reply may name several options
    return with_answer(prediction, options, rule)
