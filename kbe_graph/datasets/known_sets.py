"""Well-known sets: OK-VQA and VQA, and A-OKVQA, each a map of columns with the answers and picture of a row."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kbe_graph.datasets.format import Format, ReadOptions, SampleRow, has_name, majority
from kbe_graph.datasets.picture import picture_name
from kbe_graph.errors import DatasetError
from kbe_graph.files.image import image_id
from kbe_graph.files.record import Record
from kbe_graph.files.records import RecordSource, section_source
from kbe_graph.text import fold
from kbe_graph.types import Sample


def _id(record: Record) -> str:
    return record.text("question_id" if record.has("question_id") or "id" not in record.fields else "id")


def _is_okvqa(source: RecordSource) -> bool:
    fields = set(source.fields)
    official = source.head.get("task_type") is not None or "data_subtype" in source.head
    joined = "answers" in fields and not fields & {"choices", "direct_answers", "image"}
    return {"question_id", "image_id", "question"} <= fields and (official or joined)


def _okvqa_rows(source: RecordSource, options: ReadOptions) -> Iterator[SampleRow]:
    subset = str(source.head.get("data_subtype", ""))
    for record in _joined(source, options):
        with options.bad:
            answers, key = record.answers("answers"), image_id(record.text("image_id"))
            if not answers:
                raise record.error("no answer in 'answers'; a sample needs one")
            sample = Sample(
                id=_id(record),
                benchmark="",
                split=record.optional("split") or subset.rstrip("0123456789"),
                question=record.text("question"),
                answer=majority(answers),
                answers=answers,
                image=record.optional("image_path") or (f"COCO_{subset}_{key:0>12}.jpg" if subset else key),
                image_id=key,
            )
            yield SampleRow(record, sample)


def _joined(source: RecordSource, options: ReadOptions) -> Iterator[Record]:
    if "answers" in source.fields:
        yield from source.records()
        return
    file = options.annotations or _beside(source.file)
    answers = _annotated(file)
    for record in source.records():
        name = record.text("question_id")
        if name not in answers:
            raise record.error(
                f"question {name!r} has no annotation in {file}; give the annotations that match the questions"
            )
        yield Record(record.file, {**record.fields, "answers": answers[name]}, record.line, record.item)


def _annotated(file: Path) -> Mapping[str, list[str]]:
    answers: dict[str, list[str]] = {}
    for record in section_source(file, "annotations").records():
        name = record.text("question_id")
        if name in answers:
            raise record.error(f"question {name!r} is annotated twice")
        answers[name] = list(record.answers("answers"))
    return answers


def _beside(questions: Path) -> Path:
    name = questions.name.removesuffix(".gz").replace("OpenEnded_", "").replace("_questions", "_annotations")
    if name == questions.name.removesuffix(".gz"):
        raise DatasetError(questions, "contains questions without answers; name the file of `annotations`")
    places = [questions.with_name(name), questions.with_name(f"{name}.gz")]
    if file := next((place for place in places if place.is_file()), None):
        return file
    raise DatasetError(questions, f"contains no answers, and there is no {name!r} beside it; name the annotations file")


def _is_aokvqa(source: RecordSource) -> bool:
    fields = set(source.fields)
    named = has_name(fields - {"correct_choice_idx"}, "answer")
    return {"question_id", "question"} <= fields and not named and bool(fields & {"choices", "direct_answers"})


def _aokvqa_rows(source: RecordSource, options: ReadOptions) -> Iterator[SampleRow]:
    for record in source.records():
        with options.bad:
            choices, answers = record.texts("choices", blanks=True), record.answers("direct_answers")
            given = record.has("correct_choice_idx") and choices
            right = choices[record.number("correct_choice_idx", below=len(choices))] if given else ""
            if not (right or answers):
                raise record.error(
                    "no answer: 'correct_choice_idx' and 'direct_answers' are empty; a test split cannot be used"
                )
            answer, (image, key) = open_answer(answers, right), _own_picture(record, options)
            sample = Sample(
                id=_id(record),
                benchmark="",
                split=record.optional("split"),
                question=record.text("question"),
                answer=answer,
                answers=answers or (answer,),
                image=image,
                image_id=key,
                choices=choices,
                rationales=record.texts("rationales"),
                choice=right if right != answer else "",
            )
            yield SampleRow(record, sample)


def open_answer(answers: Sequence[str], right: str) -> str:
    """Return the majority of the direct answers; on a tie, the ``right`` choice if it is among them, or the first.

    >>> from kbe_graph.datasets.known_sets import open_answer
    >>> open_answer(("bus", "taxi", "cab", "taxi", "cab"), "cab")
    'cab'
    """
    counts = Counter(map(fold, answers))
    most = max(counts.values(), default=0)
    commonest = [answer for answer in answers if counts[fold(answer)] == most]
    if counts[fold(right)] == most:
        return right
    return commonest[0]


def _own_picture(record: Record, options: ReadOptions) -> tuple[str, str]:
    if record.has("image"):
        name = picture_name(record, "image", record.fields["image"], options.save_images)
        return name, image_id(record.optional("image_id"))
    key = image_id(record.text("image_id"))
    return record.optional("image_path") or f"{key:0>12}.jpg", key


def _columns(*same: str, **others: str) -> Mapping[str, str]:
    return {"id": "question_id", "question": "question", **others, "split": "split", **{name: name for name in same}}


OKVQA = Format(
    "okvqa: the official questions file with its annotations, or 'question_id', 'image_id', 'question', 'answers'",
    _is_okvqa,
    _okvqa_rows,
    _columns("image_id", "answers", "image_path"),
)
AOKVQA = Format(
    "aokvqa: 'question_id', 'question' and 'choices' or 'direct_answers'",
    _is_aokvqa,
    _aokvqa_rows,
    _columns(
        *("choices", "image", "image_path", "image_id", "rationales"),
        answer="correct_choice_idx",
        answers="direct_answers",
    ),
)
