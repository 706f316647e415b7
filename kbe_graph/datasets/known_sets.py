"""Well-known sets: OK-VQA and VQA, A-OKVQA, FVQA, each a map of columns with the answers and picture of a row."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kbe_graph.datasets.format import Format, ReadOptions, SampleRow, has_name, majority
from kbe_graph.datasets.picture import picture_name
from kbe_graph.english.inflect import are_inflections
from kbe_graph.errors import DatasetError
from kbe_graph.files.image import image_id
from kbe_graph.files.opening import MOST_ID
from kbe_graph.files.record import Record
from kbe_graph.files.records import RecordSource, section_source
from kbe_graph.text import fold
from kbe_graph.types import Sample

_PARTS = 3
_SURFACE = re.compile(r".*?\[\[(.+?)\]\](.+?)\[\[(.+?)\]\]")


Picture = tuple[str, str]  # its name and its key
Answers = Callable[[Record], dict[str, Any]]
"""Function that reads the answers of a row as fields of a sample."""


def _rows(
    source: RecordSource,
    options: ReadOptions,
    answers: Answers,
    picture: Callable[[Record, RecordSource, ReadOptions], Picture],
    joined: Callable[[RecordSource, ReadOptions], Iterator[Record]] = lambda source, _: source.records(),
) -> Iterator[SampleRow]:
    subset = str(source.head.get("data_subtype", "")).rstrip("0123456789")
    for record in joined(source, options):
        image, key = picture(record, source, options)
        id_ = "question_id" if record.has("question_id") or "id" not in record.fields else "id"
        sample = Sample(
            id=record.text(id_),
            benchmark="",
            split=record.optional("split") or subset,
            question=record.text("question"),
            image=image,
            image_id=key,
            **answers(record),
        )
        yield SampleRow(record, sample)


def _is_okvqa(source: RecordSource) -> bool:
    fields = set(source.fields)
    official = source.head.get("task_type") is not None or "data_subtype" in source.head
    joined = "answers" in fields and not fields & {"choices", "direct_answers", "image"}
    return {"question_id", "image_id", "question"} <= fields and (official or joined)


def _vqa_answers(record: Record) -> dict[str, Any]:
    answers = record.texts("answers")
    if not answers:
        raise record.error("no answer in 'answers'; a sample needs one")
    return {"answer": majority(answers), "answers": answers}


def _coco_picture(record: Record, source: RecordSource, _: ReadOptions) -> Picture:
    key, subset = image_id(record.text("image_id")), source.head.get("data_subtype")
    return record.optional("image_path") or (f"COCO_{subset}_{key:0>12}.jpg" if subset else key), key


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
        answers[name] = list(record.texts("answers"))
    return answers


def _beside(questions: Path) -> Path:
    name = questions.name.removesuffix(".gz").replace("OpenEnded_", "").replace("_questions", "_annotations")
    if name == questions.name.removesuffix(".gz"):
        raise DatasetError(
            questions, "contains questions without answers; name the annotations file (`annotations=...`)"
        )
    places = [questions.with_name(name), questions.with_name(f"{name}.gz")]
    if file := next((place for place in places if place.is_file()), None):
        return file
    raise DatasetError(questions, f"contains no answers, and there is no {name!r} beside it; name the annotations file")


def _is_aokvqa(source: RecordSource) -> bool:
    fields = set(source.fields)
    named = has_name(fields - {"correct_choice_idx"}, "answer")
    return {"question_id", "question"} <= fields and not named and bool(fields & {"choices", "direct_answers"})


def _chosen_answers(record: Record) -> dict[str, Any]:
    choices, answers = record.texts("choices", blanks=True), record.texts("direct_answers")
    given = record.has("correct_choice_idx") and choices
    right = choices[record.number("correct_choice_idx", below=len(choices))] if given else ""
    if not (right or answers):
        raise record.error(
            "no answer: 'correct_choice_idx' and 'direct_answers' are empty; a test split cannot be used"
        )
    answer = open_answer(answers, right)
    return {
        "answer": answer,
        "answers": answers or (answer,),
        "choices": choices,
        "rationales": record.texts("rationales"),
        "choice": right if right != answer else "",
    }


def open_answer(answers: Sequence[str], right: str) -> str:
    """Return the majority of the direct answers; on a tie, the ``right`` choice if it is among them, or the first.

    If a majority answer is only an inflection of the right choice, the right choice is returned.

    >>> from kbe_graph.datasets.known_sets import open_answer
    >>> open_answer(("bus", "taxi", "cab", "taxi", "cab"), "cab"), open_answer(("chairs", "chairs", "sofa"), "chair")
    ('cab', 'chair')
    """
    counts = Counter(map(fold, answers))
    most = max(counts.values(), default=0)
    commonest = [answer for answer in answers if counts[fold(answer)] == most]
    if counts[fold(right)] == most or any(are_inflections(answer, right) for answer in commonest):
        return right
    return commonest[0]


def _own_picture(record: Record, _: RecordSource, options: ReadOptions) -> Picture:
    if record.has("image"):
        name = picture_name(record, "image", record.fields["image"], options.save_images)
        return name, image_id(record.optional("image_id") or name)
    key = image_id(record.text("image_id"))
    return record.optional("image_path") or f"{key:0>12}.jpg", key


def _is_fvqa(source: RecordSource) -> bool:
    fields = set(source.fields)
    return {"question", "answer", "img_file"} <= fields and bool(fields & {"fact", "fact_surface"})


def _supported_answer(record: Record) -> dict[str, Any]:
    return {"answer": record.text("answer"), "answers": (record.text("answer"),), "fact": _fact(record)}


def _fact(record: Record) -> tuple[str, ...] | None:
    parts = tuple(part.removeprefix("Category:").replace("_", " ") for part in record.texts("fact"))
    if len(parts) == _PARTS:
        return parts
    text = record.optional("fact_surface")
    record.refuse_long("fact_surface", [text], MOST_ID)  # the pattern takes time quadratic in the length
    surface = _SURFACE.match(text)
    return tuple(part.strip() for part in surface.groups()) if surface else None


def _file_picture(record: Record, *_: object) -> Picture:
    return record.text("img_file"), image_id(record.text("img_file"))


def _columns(*same: str, **others: str) -> Mapping[str, str]:
    return {"id": "question_id", "question": "question", **others, "split": "split", **{name: name for name in same}}


OKVQA = Format(
    "okvqa: the official questions file with its annotations, or 'question_id', 'image_id', 'question', 'answers'",
    _is_okvqa,
    partial(_rows, answers=_vqa_answers, picture=_coco_picture, joined=_joined),
    _columns("image_id", "answers", "image_path"),
)
AOKVQA = Format(
    "aokvqa: 'question_id', 'question' and 'choices' or 'direct_answers'",
    _is_aokvqa,
    partial(_rows, answers=_chosen_answers, picture=_own_picture),
    _columns(
        *("choices", "image", "image_path", "image_id", "rationales"),
        answer="correct_choice_idx",
        answers="direct_answers",
    ),
)
FVQA = Format(
    "fvqa: 'question', 'answer', 'img_file' and 'fact' or 'fact_surface'",
    _is_fvqa,
    partial(_rows, answers=_supported_answer, picture=_file_picture),
    _columns("answer", "fact", "fact_surface", image="img_file"),
)
