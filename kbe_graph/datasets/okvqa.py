"""OK-VQA and VQA: the official pair of questions and annotations, or one record per question with its answers."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kbe_graph.datasets.format import Format, ReadOptions, SampleRow, majority
from kbe_graph.errors import DatasetError
from kbe_graph.files.image import image_id
from kbe_graph.files.record import Record
from kbe_graph.files.records import RecordSource, section_source
from kbe_graph.types import Sample


def _matches(source: RecordSource) -> bool:
    fields = set(source.fields)
    official = source.head.get("task_type") is not None or "data_subtype" in source.head
    joined = "answers" in fields and not fields & {"choices", "direct_answers", "image"}
    return {"question_id", "image_id", "question"} <= fields and (official or joined)


def _rows(source: RecordSource, options: ReadOptions) -> Iterator[SampleRow]:
    records = source.records()
    if "answers" not in source.fields:
        records = _joined(source, options.annotations or _beside(source.file))
    return (SampleRow(record, _sample(record, str(source.head.get("data_subtype", "")))) for record in records)


def _sample(record: Record, subset: str) -> Sample:
    key = image_id(record.text("image_id"))
    answers = record.texts("answers")
    if not answers:
        raise record.error("no answer in 'answers'; a sample needs one")
    return Sample(
        id=record.text("question_id"),
        benchmark="",
        split=record.optional("split") or subset.rstrip("0123456789"),
        question=record.text("question"),
        answer=majority(answers),
        answers=answers,
        image=record.optional("image_path") or (f"COCO_{subset}_{key:0>12}.jpg" if subset else key),
        image_id=key,
    )


def _joined(source: RecordSource, file: Path) -> Iterator[Record]:
    answers = _answers(file)
    for record in source.records():
        name = record.text("question_id")
        if name not in answers:
            raise record.error(
                f"question {name!r} has no annotation in {file}; give the annotations that match the questions"
            )
        yield Record(record.file, {**record.fields, "answers": answers[name]}, record.line, record.item)


def _answers(file: Path) -> Mapping[str, Any]:
    source = section_source(file, "annotations")
    if not source.fields:
        raise DatasetError(file, "no list 'annotations' of objects; give the official annotations file")
    places: dict[str, str] = {}
    answers: dict[str, list[str]] = {}
    for record in source.records():
        name = record.text("question_id")
        if name in places:
            raise record.error(f"question {name!r} is already at {places[name]}")
        places[name], answers[name] = record.place, list(record.texts("answers"))
    return answers


def _beside(questions: Path) -> Path:
    name = questions.name.removesuffix(".gz").replace("OpenEnded_", "").replace("_questions", "_annotations")
    if name == questions.name.removesuffix(".gz"):
        raise DatasetError(questions, "contains questions without answers; name the annotations file (`annotations`)")
    places = [questions.with_name(name), questions.with_name(f"{name}.gz")]
    file = next((place for place in places if place.is_file()), None)
    if file is None:
        raise DatasetError(
            questions, f"contains no answers, and there is no {name!r} beside it; name the annotations file"
        )
    return file


OKVQA = Format(
    "okvqa: the official questions file with its annotations, or 'question_id', 'image_id', 'question', 'answers'",
    _matches,
    _rows,
    {name: name for name in ("question_id", "image_id", "question", "answers", "image_path", "split")},
)
