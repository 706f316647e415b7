"""Prediction files in any packing, and the basic prediction formats."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import DatasetError
from kbe_graph.files.archive import is_archive, json_members, member_names
from kbe_graph.files.bounds import Tally
from kbe_graph.files.json_files import Item, items_of, read_json
from kbe_graph.files.opening import first_bytes, first_line
from kbe_graph.files.record import Record
from kbe_graph.files.records import open_source
from kbe_graph.files.tables import WORKBOOK
from kbe_graph.perturb.variant import is_operation
from kbe_graph.text import quoted
from kbe_graph.types import FORMS, VARIANTS

_IDS = {"id", "question_id", "doc_id", "index"}
_SAMPLES, _HEADERS = "samples/", ("header.json", "_journal/start.json")
_FIRST = 5


class PredictionRow(NamedTuple):
    """A file's row about one answer, and the record it was read from.

    ``id`` is the question's id as given by the file; ``text`` is the reply, None if the call failed; ``options`` are
    the choices offered. An empty field is absent from the file.
    """

    record: Record
    id: str
    text: str | None
    model: str = ""
    run: int | None = None
    variant: str = ""
    tokens: int | None = None
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PredictionSource:
    """An opened prediction file: records, or the items of one JSON object.

    ``fields`` are those of the first record; ``first`` holds the first items of the object. ``records`` and ``items``
    start from the beginning at each call.
    """

    file: Path
    fields: tuple[str, ...] = ()
    records: Callable[[], Iterator[Record]] = lambda: iter(())
    first: tuple[Item, ...] = ()
    items: Callable[[], Iterator[Item]] = lambda: iter(())


def variant_of(record: Record, *, has_options: bool) -> str:
    """Return the variant of a harness's record: the form it names, "options" if it has options, or empty."""
    form = record.optional("form")
    return form if form in FORMS[1:] else "options" if has_options else ""


class PredictionFormat(NamedTuple):
    """A prediction format: what it looks for (used in messages), a test for its files, and a reader of its rows."""

    looks_for: str
    matches: Callable[[PredictionSource], bool]
    rows: Callable[[PredictionSource], Iterator[PredictionRow]]


def open_predictions(file: Path) -> PredictionSource:
    """Open a prediction file, detecting from its content how it is packed.

    Raises DatasetError, also if the file has no records.
    """
    head = first_bytes(file)
    if is_archive(head) and WORKBOOK not in (names := member_names(file)):
        return _of_items(file, lambda: _archive_items(file, names))
    if ".jsonl" not in file.suffixes and _is_object(first_line(head)):
        items = tuple(items_of(read_json(file)))
        Tally(file).add(1, len(items))
        return _of_items(file, lambda: iter(items))
    source = open_source(file)
    return PredictionSource(file, source.fields, source.records)


def _of_items(file: Path, items: Callable[[], Iterator[Item]]) -> PredictionSource:
    first = tuple(islice(items(), _FIRST))
    if not first:
        raise DatasetError(file, "is empty; give a file with predictions")
    return PredictionSource(file, first=first, items=items)


def _is_object(line: str) -> bool:
    if not line.startswith("{"):
        return False
    try:
        return not _IDS & dict(json.loads(line, parse_int=str)).keys()
    except (ValueError, RecursionError):
        return True


def _archive_items(file: Path, names: tuple[str, ...]) -> Iterator[Item]:
    header = next((name for name in _HEADERS if name in names), None)
    samples = tuple(name for name in names if name.startswith(_SAMPLES) and name.endswith(".json"))
    if header is None:
        raise DatasetError(file, f"neither a workbook nor an Inspect log; found {quoted(names, 5) or 'nothing'}")
    Tally(file).add(1, len(samples))
    for _, content in json_members(file, (header,)):
        head = content if isinstance(content, dict) else {}
        yield Item("", "eval", head.get("eval"), listed=False)
    for name, content in json_members(file, samples):
        yield Item("samples", name, content, listed=True)


_MOST_RUNS, _MOST_TOKENS = 1_000, 1_000_000_000
_A_SETTINGS = {"multiple_choice": "options", "direct_answer": "image"}


def answer_text(record: Record, field: str) -> str:
    """Return a model's answer, which may be empty.

    Raises DatasetError for a missing field, null, and other types.
    """
    value = record.fields.get(field)
    if value == "" or (isinstance(value, str) and value.isspace()):
        return ""
    if field in record.fields and (value is None or (isinstance(value, float) and not isfinite(value))):
        raise record.error(f"{field!r} is {value}; write an empty text if the model gave no answer")
    return record.text(field)


def _has_own_fields(source: PredictionSource) -> bool:
    # a record with aliases is an exported question: its answer is the gold answer, not a model's
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
    if variant and variant not in VARIANTS and not is_operation(variant):
        raise record.error(
            f"no variant {variant!r}; the variants are {', '.join(VARIANTS)}, and the operations of `perturb`"
        )
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
            raise record.error("expected a text, or an object with 'multiple_choice' or 'direct_answer'")
        for field in fields:
            yield PredictionRow(record, item.key, answer_text(record, field), variant=_A_SETTINGS.get(field, ""))


AOKVQA_DICTIONARY = PredictionFormat(
    "aokvqa: an object of ids, each with a text, or with 'multiple_choice' or 'direct_answer'",
    _is_dictionary,
    _dictionary_rows,
)
