"""Reading of prediction files of any supported harness, and matching of predictions to questions by id."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.files.opening import MOST_ID, MOST_TEXT
from kbe_graph.plugins import Registry
from kbe_graph.scoring.prediction_formats import FORMATS as BUILT_IN
from kbe_graph.scoring.prediction_formats import PredictionFormat, PredictionRow, open_predictions, refuse_gold
from kbe_graph.scoring.reply_reading import CUT, with_answer
from kbe_graph.text import fold, id_number, name_fault, quoted
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


def match_predictions(
    predictions: Sequence[Prediction], questions: Sequence[Question], *, file: object = "predictions"
) -> Matching:
    """Match predictions to the questions that they answer.

    An id in a file is matched as a question's id; for a raw question, as its sample's id or the benchmark's part of it,
    if unambiguous; or as the number that represents the question in formats that allow only numbers. An id that the
    benchmark gave to several questions is unknown unless the file also has their numbered ids (``ID-2``). Where a line
    asks something else than the question of its id (``asked``), its text finds the question, and that of the other
    lines with short ids too: they may be numbers of rows.

    Raises InputError, naming the ``file``, if neither ids nor texts say which questions are meant.
    """
    names = [prediction.question for prediction in predictions]
    ids = _Ids(file, questions, _source_ids(questions, set(names)))
    if not any(prediction.asked for prediction in predictions):
        ids.refuse_row_numbers([_without_point(name) for name in names])
    matched, unknown = [], dict[str, None]()
    for prediction, id_ in zip(predictions, ids.find(predictions), strict=True):
        if id_:
            matched.append(replace(prediction, question=id_, asked=""))
        else:
            unknown[prediction.question] = None
    counts = Counter(prediction.id for prediction in matched)
    single = tuple(prediction for prediction in matched if counts[prediction.id] == 1)
    twice = dict.fromkeys(prediction.question for prediction in matched if counts[prediction.id] > 1)
    askings = {(each.model, each.run, each.variant) for each in matched if each.variant not in {"circular", LINKS}}
    answers = Counter(prediction.question for prediction in single)
    missing = tuple(id_ for id_ in ids.questions if answers[id_] < max(1, len(askings)) and id_ not in twice)
    return Matching(single, tuple(unknown), tuple(twice), missing)


class _Ids:
    """The questions by their ``whole`` ids, by the ``short`` ones of their benchmark, and by their text."""

    def __init__(self, file: object, questions: Sequence[Question], short: Mapping[str, str]) -> None:
        self.file, self.short = file, short
        self.questions = {question.id: question for question in questions}
        self.whole = {str(id_number(id_)): id_ for id_ in self.questions} | {id_: id_ for id_ in self.questions}
        self.by_text = defaultdict[str, list[str]](list)
        for question in questions:
            self.by_text[fold(question.text)].append(question.id)

    def find(self, predictions: Sequence[Prediction]) -> list[str]:
        """Find the id of each prediction's question, empty if it is unknown."""
        pairs = [(prediction, self._by_name(prediction.question)) for prediction in predictions]
        clashing = [self._is_clash(*pair) for pair in pairs]
        first = next((pair for pair, is_clash in zip(pairs, clashing, strict=True) if is_clash), None)
        return [
            id_
            if id_ and (first is None or (each.question in self.whole and not is_clash))
            else self._by_text(each, id_, (each, id_) if is_clash else first)
            for (each, id_), is_clash in zip(pairs, clashing, strict=True)
        ]

    def _by_name(self, name: str) -> str:
        return self.whole.get(name) or self.short.get(name) or self.short.get(_without_point(name), "")

    def _is_clash(self, prediction: Prediction, id_: str) -> bool:
        text = fold(prediction.asked) if id_ and prediction.asked else ""
        if text in self.by_text:
            return id_ not in self.by_text[text]
        is_reworded = prediction.question in self.whole or prediction.variant not in {"image", "blind", "options"}
        return bool(text) and not is_reworded and fold(self.questions[id_].text) not in text

    def _by_text(self, prediction: Prediction, id_: str, clash: tuple[Prediction, str] | None) -> str:
        ids = self.by_text.get(fold(prediction.asked), []) if prediction.asked else []
        if len(ids) == 1 and (id_ or _without_point(prediction.question).isdecimal()):
            return ids[0]
        if not id_ or clash is None:
            return ""
        line, own = clash
        count = len(self.by_text.get(fold(line.asked), ()))
        raise InputError(
            f"{self.file}: {line.question!r} is the id of {self.questions[own].text!r}, but its line asks "
            f"{line.asked!r}, which {count or 'no'} questions here ask; give the ids of an export, in a column 'id'"
        )

    def refuse_row_numbers(self, names: Sequence[str]) -> None:
        """Raise InputError for numbers of rows that are not, or not surely, those of the rows that were loaded."""
        own, given = ({int(name) for name in each if name.isdecimal()} for each in (self.short, names))
        evolved = sum(question.kind != "raw" for question in self.questions.values())
        if not (given and all(map(str.isdecimal, names)) and _is_count(own) and max(given) <= len(self.questions)):
            return
        if (given & own and given - own) or (_is_count(given) and len(given) == evolved != len(own)):
            raise InputError(
                f"{self.file}: {min(given)} to {max(given)} look like numbers of rows, but the loaded questions have "
                f"the ids {min(own)} to {max(own)}, and the run has {evolved} more; add the export's column 'id', or "
                "'question' with each text"
            )


def _is_count(numbers: Collection[int]) -> bool:
    return any(set(numbers) == set(range(first, first + len(numbers))) for first in (0, 1) if numbers)


def _without_point(id_: str) -> str:
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
    prediction = Prediction(
        model, row.id, row.text or "", run=row.run or 1, variant=asked, asked=row.asked, tokens=row.tokens
    )
    if row.is_cut:
        return replace(prediction, text="", reply=prediction.text, read_by=CUT)
    if not row.options:
        return prediction
    options = () if prediction.variant == "several" else row.options  # a reply may name several options
    return with_answer(prediction, options)
