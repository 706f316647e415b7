"""Tables: columns recognised by name, or mapped by the user; and the table of VLMEvalKit, with its rules for images."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from kbe_graph.datasets.format import (
    CONVERSATIONS,
    FIELDS,
    BenchmarkTable,
    Columns,
    FileReading,
    Format,
    ReadOptions,
    SampleRow,
    has_name,
    left_over,
    majority,
    recognise_table,
)
from kbe_graph.datasets.gold import (
    Answered,
    AnswerKeys,
    Gold,
    OptionList,
    check_options,
    options_of_columns,
    options_of_list,
    options_of_wrongs,
    read_keys,
    split_options,
)
from kbe_graph.datasets.picture import address_of, is_address, picture_cells, picture_name
from kbe_graph.errors import DatasetError
from kbe_graph.files.image import image_id
from kbe_graph.files.record import Record
from kbe_graph.files.records import RecordSource
from kbe_graph.types import Sample

_SEVERAL = "rows with several pictures, whose questions are about all of them"
_NO_WRONGS = "rows without wrong answers, read as open questions"
_CASE_ALONE = "rows whose options differ only in capitals, which no judge can tell apart"


class Written(NamedTuple):
    """A question with its options and answers as written in a row; ``named`` is the single answer, if one is given."""

    question: str
    options: OptionList
    answers: tuple[str, ...]
    named: str = ""


def _matches(source: RecordSource) -> bool:
    fields = set(source.fields)
    return has_name(fields, "question") or not fields.isdisjoint(CONVERSATIONS)


def _rows(source: RecordSource, options: ReadOptions) -> Iterator[SampleRow]:
    table = recognise_table(source, options.columns)
    return read_table(table, options, partial(read_pictures, columns=table.columns, options=options))


def read_table(
    table: BenchmarkTable, options: ReadOptions, pictures: Callable[[Record], Sequence[str] | None]
) -> Iterator[SampleRow]:
    """Yield the samples of a table, and report in ``options.reading``. Raises DatasetError.

    ``pictures`` returns the names of a row's pictures, empty if it has none, or None to skip the row.
    """
    columns, reading = table.columns, options.reading
    reading.fields, reading.left_over = columns.as_told(), left_over(table.fields, columns.used())
    letters_alone = _has_letters_alone(table, mapped=bool({"answer", "answers"} & options.columns.keys()))
    if letters_alone:
        raise letters_alone
    keys = read_keys(_answered(table))
    count = 0
    for number, record in enumerate(table.source.records(), 1):
        images = pictures(record)
        if images is not None:
            count += 1
            yield SampleRow(record, _with_images(_sample(record, columns, keys, reading), images, number))
    if not count:
        raise DatasetError(table.source.file, f"no usable row: {', '.join(reading.notes)}")


def _with_images(sample: Sample, images: Sequence[str], number: int) -> Sample:
    image, *more = images or ("",)
    id_, key = sample.id or str(number), sample.image_id or image_id(image)
    return replace(sample, id=id_, image=image, more_images=tuple(more), image_id=key)


def _answered(table: BenchmarkTable) -> Iterator[Answered]:
    if not _may_have_options(table):
        return
    for record in table.source.records():
        written = read_written(record, table.columns)
        if written.options.choices:
            yield from (Answered(record, written.options, answer) for answer in _to_resolve(written))


def _may_have_options(table: BenchmarkTable) -> bool:
    columns = table.columns
    if columns.options or columns.get("choices") or columns.get("wrongs"):
        return True
    return any(read_written(record, columns).options.choices for record in table.source.records())


def _to_resolve(written: Written) -> tuple[str, ...]:
    if written.named:
        return (written.named,)
    free = len(written.answers) > 1 and not any(map(written.options.is_key, written.answers))
    return () if free and not all(map(written.options.by_text, written.answers)) else written.answers


def _has_letters_alone(table: BenchmarkTable, *, mapped: bool) -> DatasetError | None:
    letters = set()
    if mapped:
        return None
    for record in table.source.records():
        written = read_written(record, table.columns)
        letters.add(written.named or "".join(written.answers))
        if written.options.choices or len(letters) > len("ABCDEFGH") or not letters <= set("ABCDEFGH"):
            return None
    if len(letters) == 1:
        return None
    return DatasetError(
        table.source.file,
        (
            f"all answers are letters ({', '.join(sorted(letters))}), and no column holds options; name the "
            "column of options with `columns` (choices=COLUMN), or, if the answers really are letters, "
            "their column (answer=COLUMN)"
        ),
    )


def read_written(record: Record, columns: Columns) -> Written:
    """Read the question, options and answers of a row as written. Raises DatasetError."""
    named, answers = _answers(record, columns)
    question = record.text(columns.get("question"))
    if columns.options:
        options = options_of_columns(record, columns.options)
    elif columns.get("choices") and record.has(columns.get("choices")):
        options = options_of_list(record, columns.get("choices"))
    elif columns.get("wrongs") and record.has(columns.get("wrongs")):
        options = options_of_wrongs(record, named or answers[0], columns.get("wrongs"))
    elif len(named) < len("(A).") and named:
        question, options = split_options(question)
    else:
        options = OptionList()
    return Written(question, options, answers, named)


def _answers(record: Record, columns: Columns) -> tuple[str, tuple[str, ...]]:
    answer_column, answers_column = columns.get("answer"), columns.get("answers")
    answers = record.texts(answers_column) if answers_column else ()
    if answer_column and _is_list(record.fields.get(answer_column)):
        answers = answers or record.texts(answer_column)
    elif answer_column and not answers and answer_column in record.fields and not record.has(answer_column):
        raise record.error(f"{answer_column!r} is empty; a sample needs an answer, so a test split cannot be loaded")
    elif answer_column and (record.has(answer_column) or not answers):
        return record.text(answer_column), answers or (record.text(answer_column),)
    if not answers:
        raise record.error(f"no answer in {answers_column or answer_column!r}; a sample needs one")
    return "", answers


def _is_list(value: object) -> bool:
    return isinstance(value, list) or (isinstance(value, str) and value.lstrip().startswith(("['", '["')))


def _sample(record: Record, columns: Columns, keys: AnswerKeys, reading: FileReading) -> Sample:
    written = read_written(record, columns)
    if written.options.choices:
        check_options(record, written.options)
    reading.notes.update(_notes_on(written.options, columns))
    golds = _golds(record, written, keys)
    texts = tuple(gold.text for gold in golds)
    reading.answers[golds[0].kind] += 1
    return Sample(
        id=record.optional(columns.get("id")),
        benchmark="",
        split=record.optional(columns.get("split")),
        question=written.question,
        answer=majority(texts),
        answers=written.answers if written.named and len(written.answers) > 1 else texts,
        image_id=image_id(record.optional(columns.get("image_id"))),
        choices=written.options.choices,
        rationales=record.texts(columns.get("rationales")),
    )


def _notes_on(options: OptionList, columns: Columns) -> Iterator[str]:
    if columns.get("wrongs") and not options.choices:
        yield _NO_WRONGS
    if len(set(map(str.casefold, options.choices))) < len(options.choices):
        yield _CASE_ALONE


def _golds(record: Record, written: Written, keys: AnswerKeys) -> Sequence[Gold]:
    keyed = _to_resolve(written) if written.options.choices else ()
    if keyed:
        return [keys.gold(Answered(record, written.options, answer)) for answer in keyed]
    return [Gold(answer, "text") for answer in ((written.named,) if written.named else written.answers)]


def read_pictures(record: Record, columns: Columns, options: ReadOptions) -> Sequence[str]:
    """Read the names or addresses of a row's pictures. Raises DatasetError."""
    names = [name for name in (columns.get("image"), *columns.pictures) if name]
    cells = picture_cells(record, names)
    if len(cells) > 1:
        options.reading.notes[_SEVERAL] += 1
    return [picture_name(record, names[0], cell, options.save_images) for cell in cells] or [address_of(record)]


TABLE = Format("table: 'question' and 'answer' or 'answers', or a map of columns", _matches, _rows)


_POINTER = 64
_TURN = 1_000_000
_TURNED = "rows that repeat a question with its options rotated, left out"
_COLUMNS = {"id": "index", "question": "question", "answer": "answer"}


def _is_vlmevalkit(source: RecordSource) -> bool:
    fields = set(source.fields)
    own = {"index", "question", "answer"} <= fields and bool(fields & {"image", "image_path"})
    return own and fields.isdisjoint((*FIELDS["choices"], *FIELDS["wrongs"]))


def _vlmevalkit_rows(source: RecordSource, options: ReadOptions) -> Iterator[SampleRow]:
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


VLMEVALKIT = Format(
    "vlmevalkit: 'index', 'question', 'answer' and 'image' or 'image_path'", _is_vlmevalkit, _vlmevalkit_rows
)
"""VLMEvalKit's TSV.

The image is base64, a pointer (a cell of at most 64 characters: the ``index`` of another row with the same image), or a
path in ``image_path``, by the rules of its ``ImageBaseDataset``. In a circular table, which repeats each question with
rotated options (``index`` plus 1,000,000), only the first row of each question is read.
"""
