"""A-OKVQA: the official JSON list, or one record per question; the answer is the majority of the direct answers."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from kbe_graph.datasets.fields import has_name
from kbe_graph.datasets.format import Format, ReadOptions, SampleRow
from kbe_graph.datasets.picture import picture_name
from kbe_graph.english.inflect import are_inflections
from kbe_graph.files.image import image_id
from kbe_graph.files.record import Record
from kbe_graph.files.records import RecordSource
from kbe_graph.text import fold
from kbe_graph.types import Sample


def _matches(source: RecordSource) -> bool:
    fields = set(source.fields)
    named = has_name(fields - {"correct_choice_idx"}, "answer")
    return {"question_id", "question"} <= fields and not named and bool(fields & {"choices", "direct_answers"})


def _rows(source: RecordSource, options: ReadOptions) -> Iterator[SampleRow]:
    return (SampleRow(record, _sample(record, options.save_images)) for record in source.records())


def _sample(record: Record, folder: Path | None) -> Sample:
    image, key = _image(record, folder)
    choices, answers = record.texts("choices", blanks=True), record.texts("direct_answers")
    right = _right_choice(record, choices)
    if not (right or answers):
        raise record.error(
            "no answer: 'correct_choice_idx' and 'direct_answers' are empty; a test split cannot be used"
        )
    answer = open_answer(answers, right)
    return Sample(
        id=record.text("question_id"),
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


def _image(record: Record, folder: Path | None) -> tuple[str, str]:
    if record.has("image"):
        name = picture_name(record, "image", record.fields["image"], folder)
        return name, image_id(record.optional("image_id") or name)
    key = image_id(record.text("image_id"))
    return record.optional("image_path") or f"{key:0>12}.jpg", key


def _right_choice(record: Record, choices: tuple[str, ...]) -> str:
    if not (record.has("correct_choice_idx") and choices):
        return ""
    return choices[record.number("correct_choice_idx", below=len(choices))]


def open_answer(answers: Sequence[str], right: str) -> str:
    """Return the majority of the direct answers; on a tie, the ``right`` choice if it is among them, or the first.

    If a majority answer is only an inflection of the right choice, the right choice is returned.

    >>> from kbe_graph.datasets.aokvqa import open_answer
    >>> open_answer(("bus", "taxi", "cab", "taxi", "cab"), "cab"), open_answer(("chairs", "chairs", "sofa"), "chair")
    ('cab', 'chair')
    """
    counts = Counter(map(fold, answers))
    most = max(counts.values(), default=0)
    commonest = [answer for answer in answers if counts[fold(answer)] == most]
    if counts[fold(right)] == most or any(are_inflections(answer, right) for answer in commonest):
        return right
    return commonest[0]


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
