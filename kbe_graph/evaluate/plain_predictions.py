"""Predictions in files of few fields: our own lines, the result list of OK-VQA, the dictionary of A-OKVQA."""

from collections.abc import Iterator
from math import isfinite
from typing import get_args

from kbe_graph.evaluate.prediction_source import PredictionFormat, PredictionRow, PredictionSource
from kbe_graph.files.record import Record
from kbe_graph.text import quoted
from kbe_graph.types import Variant

_MOST_RUNS, _MOST_TOKENS = 1_000, 1_000_000_000
_A_SETTINGS = {"multiple_choice": "options", "direct_answer": "image"}


def answer_text(record: Record, field: str) -> str:
    """Return a model's answer, which may be empty; raises DatasetError for a missing field, null and other types."""
    value = record.fields.get(field)
    if value == "" or (isinstance(value, str) and value.isspace()):
        return ""
    if field in record.fields and (value is None or (isinstance(value, float) and not isfinite(value))):
        raise record.error(f"{field!r} is {value}; write an empty text where the model said nothing")
    return record.text(field)


def _has_own_fields(source: PredictionSource) -> bool:
    # a line with aliases is an exported question: its answer is the right one, not a model's
    return {"id", "answer"} <= set(source.fields) and not {"aliases", "prediction"} & set(source.fields)


def _own_rows(source: PredictionSource) -> Iterator[PredictionRow]:
    for record in source.records():
        yield PredictionRow(
            record,
            record.text("id"),
            answer_text(record, "answer"),
            record.optional("model"),
            _count(record, "run", _MOST_RUNS),
            _variant(record),
            _count(record, "tokens", _MOST_TOKENS),
        )


def _count(record: Record, field: str, most: int) -> int | None:
    return record.number(field, below=most) if record.has(field) else None


def _variant(record: Record) -> str:
    variant = record.optional("variant")
    if variant and variant not in get_args(Variant):
        raise record.error(f"no variant {variant!r}; there are {', '.join(get_args(Variant))}")
    return variant


OWN = PredictionFormat("kbe: 'id' and 'answer'", _has_own_fields, _own_rows)


def _is_result_list(source: PredictionSource) -> bool:
    return {"question_id", "answer"} <= set(source.fields) and not {"question", "prediction"} & set(source.fields)


def _result_rows(source: PredictionSource) -> Iterator[PredictionRow]:
    for record in source.records():
        yield PredictionRow(record, record.text("question_id"), answer_text(record, "answer"))


OKVQA_RESULTS = PredictionFormat("okvqa: 'question_id' and 'answer'", _is_result_list, _result_rows)


def _is_dictionary(source: PredictionSource) -> bool:
    return any(
        isinstance(item.value, str) or (isinstance(item.value, dict) and _A_SETTINGS.keys() & item.value.keys())
        for item in source.first
        if not item.listed
    )


def _dictionary_rows(source: PredictionSource) -> Iterator[PredictionRow]:
    for item in source.items():
        place = f"{item.section} {item.key}" if item.listed else f"item {quoted([item.key])}"
        value = {"answer": item.value} if isinstance(item.value, str) else item.value
        record = Record(source.file, value if isinstance(value, dict) else {}, item=place)
        fields = [field for field in ("answer", *_A_SETTINGS) if field in record.fields]
        if item.listed or not fields:
            raise record.error("a text, or an object with 'multiple_choice' or 'direct_answer', was expected")
        for field in fields:
            yield PredictionRow(record, item.key, answer_text(record, field), variant=_A_SETTINGS.get(field, ""))


AOKVQA_DICTIONARY = PredictionFormat(
    "aokvqa: an object of ids, each with a text, or with 'multiple_choice' or 'direct_answer'",
    _is_dictionary,
    _dictionary_rows,
)
