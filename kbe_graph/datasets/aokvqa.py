"""A-OKVQA: the official JSON list, or one record a question; the answer is the right choice if there is one."""

from collections.abc import Iterator
from pathlib import Path

from kbe_graph.datasets.fields import has_name
from kbe_graph.datasets.format import Format, ReadOptions, SampleRow, majority
from kbe_graph.datasets.picture import picture_name
from kbe_graph.files.image import image_id
from kbe_graph.files.record import Record
from kbe_graph.files.records import RecordSource
from kbe_graph.types import Sample


def _matches(source: RecordSource) -> bool:
    fields = set(source.fields)
    named = has_name(fields - {"correct_choice_idx"}, "answer")
    return {"question_id", "question"} <= fields and not named and bool(fields & {"choices", "direct_answers"})


def _rows(source: RecordSource, options: ReadOptions) -> Iterator[SampleRow]:
    return (SampleRow(record, _sample(record, options.save_images)) for record in source.records())


def _sample(record: Record, folder: Path | None) -> Sample:
    image, key = _image(record, folder)
    return Sample(
        id=record.text("question_id"),
        benchmark="",
        split=record.optional("split"),
        question=record.text("question"),
        answer=_answer(record),
        answers=record.texts("direct_answers") or (_answer(record),),
        image=image,
        image_id=key,
        choices=record.texts("choices", blanks=True),
        rationales=record.texts("rationales"),
    )


def _image(record: Record, folder: Path | None) -> tuple[str, str]:
    """Return the image's name and key; on Hugging Face the image itself stands in the row, without an id."""
    if record.has("image"):
        name = picture_name(record, "image", record.fields["image"], folder)
        return name, image_id(record.optional("image_id") or name)
    key = image_id(record.text("image_id"))
    return record.optional("image_path") or f"{key:0>12}.jpg", key


def _answer(record: Record) -> str:
    choices, answers = record.texts("choices", blanks=True), record.texts("direct_answers")
    chosen = record.has("correct_choice_idx") and choices
    right = choices[record.number("correct_choice_idx", below=len(choices))] if chosen else ""
    if not (right or answers):
        raise record.error("no answer: 'correct_choice_idx' and 'direct_answers' are empty; a test split cannot evolve")
    return right or majority(answers)


_COLUMNS = {
    "id": "question_id",
    "question": "question",
    "choices": "choices",
    "answer": "correct_choice_idx",
    "answers": "direct_answers",
    "image": "image",
    "image_path": "image_path",
    "image_id": "image_id",
    "split": "split",
    "rationales": "rationales",
}
AOKVQA = Format("aokvqa: 'question_id', 'question' and 'choices' or 'direct_answers'", _matches, _rows, _COLUMNS)
