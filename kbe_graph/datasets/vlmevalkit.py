"""VLMEvalKit TSV: ``index``, ``question``, ``answer``, options ``A``, ``B``, ... and an image.

The image is base64, a pointer (a cell of at most 64 characters: the ``index`` of another row with the same image), or a
path in ``image_path``, by the rules of VLMEvalKit's ``ImageBaseDataset``. In a circular table, which repeats each
question with rotated options (``index`` plus 1,000,000), only the first row of each question is read.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from kbe_graph.datasets.fields import FIELDS, Columns, recognise_table
from kbe_graph.datasets.format import Format, ReadOptions, SampleRow
from kbe_graph.datasets.picture import is_address, picture_name
from kbe_graph.datasets.table import read_pictures, read_table
from kbe_graph.files.record import Record
from kbe_graph.files.records import RecordSource

_POINTER = 64
_TURN = 1_000_000
_TURNED = "rows that repeat a question with its options rotated, left out"
_COLUMNS = {"id": "index", "question": "question", "answer": "answer"}


def _matches(source: RecordSource) -> bool:
    fields = set(source.fields)
    own = {"index", "question", "answer"} <= fields and bool(fields & {"image", "image_path"})
    return own and fields.isdisjoint((*FIELDS["choices"], *FIELDS["wrongs"]))


def _rows(source: RecordSource, options: ReadOptions) -> Iterator[SampleRow]:
    image = "image" if "image" in source.fields else "image_path"
    table = recognise_table(source, {**_COLUMNS, "image": image})
    turned = _turned_rows(source)
    options.reading.notes.update({_TURNED: len(turned)} if turned else {})
    names = {
        record.text("index"): _own_pictures(record, table.columns, options)
        for record in source.records()
        if not _pointer(record)
    }
    return read_table(table, options, partial(_resolved, names={**names, **dict.fromkeys(turned)}))


def _turned_rows(source: RecordSource) -> frozenset[str]:
    questions = {record.text("index"): record.optional("question") for record in source.records()}
    long = (index for index in questions if index.isdecimal() and len(str(_TURN)) <= len(index) <= 2 * len(str(_TURN)))
    return frozenset(index for index in long if questions.get(_first(index)) == questions[index])


def _first(index: str) -> str:
    return "" if int(index) < _TURN else str(int(index) % _TURN)


def _pointer(record: Record) -> str:
    cell = record.fields.get("image")
    is_short = isinstance(cell, str) and len(cell) <= _POINTER
    is_pointer = is_short and not (is_address(cell) or str(cell).lstrip().startswith("["))
    return str(cell).strip() if is_pointer else ""


def _own_pictures(record: Record, columns: Columns, options: ReadOptions) -> Sequence[str]:
    cell = record.fields.get("image")
    if not (record.has("image") or any(map(record.has, columns.pictures))):
        return record.texts("image_path") or (record.text("image_path"),)
    if isinstance(cell, str) and not (is_address(cell) or cell.lstrip().startswith("[")):
        return (picture_name(record, "image", {"bytes": cell}, options.save_images),)
    return read_pictures(record, columns, options)


def _resolved(record: Record, names: Mapping[str, Sequence[str] | None]) -> Sequence[str] | None:
    own = record.text("index")
    index = _pointer(record) or own
    if own in names and names[own] is None:
        return None
    if index not in names:
        raise record.error(f"'image' points to {index!r}, but no row with that 'index' has an image")
    return names[index]


VLMEVALKIT = Format("vlmevalkit: 'index', 'question', 'answer' and 'image' or 'image_path'", _matches, _rows)
