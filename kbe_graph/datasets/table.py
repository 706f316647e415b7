"""Tables: columns recognised by name, or mapped by the user; and the table of VLMEvalKit, with its rules for images."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from typing import NamedTuple

from kbe_graph.datasets.format import (
    CONVERSATIONS,
    FIELDS,
    Columns,
    Format,
    ReadOptions,
    SampleRow,
    has_name,
    left_over,
    majority,
    recognise_table,
    text_asks,
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
from kbe_graph.datasets.picture import address_of, holds_picture, is_address, picture_cells, picture_name
from kbe_graph.errors import DatasetError
from kbe_graph.files.image import IMAGE_ENDINGS, image_id
from kbe_graph.files.record import Record
from kbe_graph.files.records import RecordSource
from kbe_graph.types import Sample

_SEVERAL = "rows with several pictures, whose questions are about all of them"
_SEVERAL_RIGHT = "rows with several right options, left out"
_PICTURE_OPTIONS = "rows whose options are pictures, left out"
_PICTURE_OPTION = re.compile(r"\s*<(?:image|img)[ _]?\d*>\s*")
_NO_WRONGS = "rows without wrong answers, read as open questions"
_CASE_ALONE = "rows whose options differ only in capitals, which no judge can tell apart"
_CODES = "answers that are numbers, as all others: if these are codes of classes, write the classes' names"
_LETTERS = "answers that are a letter in rows without options, kept as text, at {} first"
_PARTED = (
    "answers that hold '|', '&&', '<OR>' or '<AND>', kept as text, at {} first: if it parts right answers, write them "
    "as a list"
)
_PARTS = re.compile(r"\||&&|<(?:OR|AND)>")
_BLANKS = "answers that read as an empty cell ('nan', 'null', 'None'), kept as text, at {} first"
_LETTER = set("ABCDEFGH")
_BLANK = {"nan", "NaN", "<NA>", "NaT", "null", "NULL", "None"}  # as programs write an empty cell
_COMMA = re.compile(r"\s*(?:[,;/&]|\band\b)\s*|\s+")


class Written(NamedTuple):
    """A question with its options and answers as written in a row; ``named`` is the single answer, if one is given."""

    record: Record
    question: str
    options: OptionList
    answers: tuple[str, ...]
    named: str = ""
    has_picture_options: bool = False

    @property
    def left_out(self) -> str:
        """The reason why no question can be made of the row, or ``""``."""
        return _PICTURE_OPTIONS if self.has_picture_options else _SEVERAL_RIGHT if self.has_several_right else ""

    def to_resolve(self) -> list[Answered]:
        """Return the answers that refer to options; none if people answered in words of their own."""
        answers = (self.named,) if self.named else self.answers
        if not self.named and len(answers) > 1 and not any(map(self.options.is_key, answers)):
            answers = answers if all(map(self.options.by_text, answers)) else ()
        return [Answered(self.record, self.options, answer) for answer in answers if self.options.choices]

    @property
    def has_several_right(self) -> bool:
        """Whether the answer is the letters, numbers or texts of several options."""
        keys: Sequence[str] = (self.named,) if self.named else self.answers
        if len(keys) > 1:
            return len(keys) == len(set(keys)) and all(map(self.options.has, keys))
        keys = [] if self.options.by_text(keys[0]) else _COMMA.split(keys[0])
        keys = [*keys[0]] if len(keys) == 1 and keys[0].isupper() else keys
        return len(keys) == len(set(keys)) > 1 and all(map(self.options.is_key, keys))


def _matches(source: RecordSource) -> bool:
    fields = set(source.fields)
    return has_name(fields, "question") or not fields.isdisjoint(CONVERSATIONS) or text_asks(source)


def _rows(source: RecordSource, options: ReadOptions) -> Iterator[SampleRow]:
    columns = recognise_table(source, options.columns)
    return _read_table(source, columns, options, partial(_pictures, columns=columns, options=options))


def _read_table(
    source: RecordSource,
    columns: Columns,
    options: ReadOptions,
    pictures: Callable[[Record], Sequence[str] | None],
) -> Iterator[SampleRow]:
    """Yield the samples, and report in ``options.reading``; ``pictures`` returns None for a row to leave out."""
    reading = options.reading
    reading.fields, reading.left_over = columns.as_told(), left_over(columns.fields, columns.used())
    places: list[Written | None] = []
    for record in source.records():
        places.append(None)
        with options.bad:
            places[-1] = _written(record, columns)
    rows = [row for row in places if row]
    if columns.get("wrongs"):
        reading.notes[_NO_WRONGS] += sum(not row.options.choices for row in rows)
    if not {"answer", "answers"} & options.columns.keys():
        _check_open_answers(source.file, rows, reading.notes)
    keys = read_keys(answered for row in rows if not row.left_out for answered in row.to_resolve())
    count = 0
    for number, (record, row) in enumerate(zip(source.records(), places, strict=True), 1):
        if row is None or row.left_out:
            reading.notes[row.left_out if row else ""] += bool(row)
            continue
        with options.bad:
            images = pictures(record)
            if images is None:
                continue
            choices = row.options.choices
            reading.notes[_CASE_ALONE] += len(set(map(str.casefold, choices))) < len(choices)
            sample = _sample(record, row, columns, _golds(row, keys, reading.answers))
            count += 1
            image, *more = images or ("",)
            yield SampleRow(record, replace(sample, id=sample.id or str(number), image=image, more_images=tuple(more)))
    for note in [note for note, times in reading.notes.items() if not times]:
        del reading.notes[note]
    if not count:
        raise DatasetError(source.file, f"no usable row: {', '.join({**reading.notes, **options.bad.notes()})}")


def _check_open_answers(file: Path, rows: Sequence[Written], notes: Counter[str]) -> None:
    unaided = [row.named or "".join(row.answers) for row in rows if not row.options.choices]
    answers = set(unaided)
    letters = [row.record.place for row in rows if not row.options.choices and (row.named or row.answers[0]) in _LETTER]
    if letters and (len(unaided) < len(rows) or 2 * len(letters) > len(rows)):
        notes[_LETTERS.format(letters[0])] += len(letters)
    if parted := [row.record.place for row in rows if _PARTS.search((row.named or row.answers[0]).strip("|"))]:
        notes[_PARTED.format(parted[0])] += len(parted)
    if blanks := [row.record.place for row in rows if not row.options.choices and row.named in _BLANK]:
        notes[_BLANKS.format(blanks[0])] += len(blanks)
    if len(answers) < 2 or len(unaided) < len(rows):
        return
    if answers <= _LETTER:
        raise DatasetError(
            file,
            f"all answers are letters ({', '.join(sorted(answers))}), and no column holds options; name the "
            "column of options with `columns` (choices=COLUMN), or, if the answers really are letters, "
            "their column (answer=COLUMN)",
        )
    if answers == set(map(str, range(len(answers)))):
        notes[_CODES] += len(rows)


def _written(record: Record, columns: Columns) -> Written:
    record = record.with_objects(map(columns.get, ("answer", "answers", "choices")))
    named, answers = _answers(record, columns)
    question, options = record.text(columns.get("question")), OptionList()
    place = Record(record.file, {}, record.line, record.item)
    cells = [record.fields.get(name) for name in (columns.get("choices"), *columns.options.values())]
    if holds_picture(cells):
        return Written(place, question, options, answers, named, has_picture_options=True)
    choices, wrongs = columns.get("choices"), columns.get("wrongs")
    if columns.options:
        options = options_of_columns(record, columns.options)
    elif choices and record.has(choices):
        options = options_of_list(record, choices)
    elif wrongs and record.has(wrongs):
        options = options_of_wrongs(record, named or answers[0], wrongs)
    elif 0 < len(named) < len("(A)."):
        question, options = split_options(question)
    has_pictures = any(map(_PICTURE_OPTION.fullmatch, options.choices))
    if not has_pictures:
        check_options(record, options)
    return Written(place, question, options, answers, named, has_pictures)


def _answers(record: Record, columns: Columns) -> tuple[str, tuple[str, ...]]:
    answer_column, answers_column = columns.get("answer"), columns.get("answers")
    answers = record.answers(answers_column) if answers_column else ()
    if answer_column and _is_list(record.fields.get(answer_column)):
        answers = answers or record.answers(answer_column)
    elif answer_column and not answers and answer_column in record.fields and not record.has(answer_column):
        raise record.error(f"{answer_column!r} is empty; a sample needs an answer: leave such rows out with `skip_bad`")
    elif answer_column and (record.has(answer_column) or not answers):
        named = record.text(answer_column)
        if named.startswith('{"'):
            raise record.error(f"{answer_column!r} must be text; found the object {named[:60]!r}")
        return named, answers or (named,)
    if not answers:
        raise record.error(f"no answer in {answers_column or answer_column!r}; a sample needs one")
    return "", answers


def _is_list(value: object) -> bool:
    return isinstance(value, list) or (isinstance(value, str) and value.lstrip().startswith(("['", '["', "[{")))


def _golds(row: Written, keys: AnswerKeys, kinds: Counter[str]) -> tuple[str, ...]:
    golds = [keys.gold(answered) for answered in row.to_resolve()]
    golds = golds or [Gold(answer, "text") for answer in ((row.named,) if row.named else row.answers)]
    kinds[golds[0].kind] += 1
    return tuple(gold.text for gold in golds)


def _sample(record: Record, row: Written, columns: Columns, golds: tuple[str, ...]) -> Sample:
    rationales = columns.get("rationales")
    return Sample(
        id=columns.text(record, "id"),
        benchmark="",
        split=columns.text(record, "split"),
        question=row.question,
        answer=majority(golds),
        answers=row.answers if row.named and len(row.answers) > 1 else golds,
        image_id=image_id(columns.text(record, "image_id")),
        choices=row.options.choices,
        rationales=record.texts(rationales) if rationales else (),
        category=columns.text(record, "category"),
    )


def _pictures(record: Record, columns: Columns, options: ReadOptions) -> Sequence[str]:
    names = [name for name in (columns.get("image"), *columns.pictures) if name]
    cells = picture_cells(record, names)
    if len(cells) > 1:
        options.reading.notes[_SEVERAL] += 1
    own = [picture_name(record, names[0], cell, options.save_images) for cell in cells]
    for name, cell in zip(own, cells, strict=True):
        if isinstance(cell, Mapping) and cell["bytes"] and cell["path"]:
            options.reading.paths.setdefault(name, str(cell["path"]))
    return own or [address_of(record)]


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
    columns = recognise_table(source, {**_COLUMNS, "image": image})
    questions = {record.optional("index"): record.optional("question") for record in source.records()}
    turned = {index for index, text in questions.items() if questions.get(_turned_from(index)) == text}
    options.reading.notes[_TURNED] += len(turned)
    names: dict[str, Sequence[str]] = {}
    for record in source.records():
        with options.bad:
            if not _pointer(record):
                names[record.text("index")] = _own_pictures(record, columns, options)

    def pictures(record: Record) -> Sequence[str] | None:
        own = record.text("index")
        if own in turned:
            return None
        index = _pointer(record) or own
        if index not in names:
            raise record.error(f"'image' points to {index!r}, but no row with that 'index' has an image")
        return names[index]

    return _read_table(source, columns, options, pictures)


def _turned_from(index: str) -> str:
    is_long = index.isdecimal() and len(str(_TURN)) <= len(index) <= 2 * len(str(_TURN))
    return str(int(index) % _TURN) if is_long and int(index) >= _TURN else ""


def _pointer(record: Record) -> str:
    cell = record.fields.get("image")
    is_short = isinstance(cell, str) and len(cell) <= _POINTER
    is_pointer = is_short and not (is_address(cell) or str(cell).lstrip().startswith("[") or _is_name(cell))
    return str(cell).strip() if is_pointer else ""


def _is_name(cell: object) -> bool:
    return isinstance(cell, str) and PurePath(cell).suffix.lower() in IMAGE_ENDINGS


def _own_pictures(record: Record, columns: Columns, options: ReadOptions) -> Sequence[str]:
    cell = record.fields.get("image")
    if not (record.has("image") or any(map(record.has, columns.pictures))):
        return record.texts("image_path") or (record.text("image_path"),)
    if isinstance(cell, str) and not (is_address(cell) or cell.lstrip().startswith("[") or _is_name(cell)):
        return (picture_name(record, "image", {"bytes": cell}, options.save_images),)
    return _pictures(record, columns, options)


VLMEVALKIT = Format(
    "vlmevalkit: 'index', 'question', 'answer' and 'image' or 'image_path'", _is_vlmevalkit, _vlmevalkit_rows
)
"""VLMEvalKit's TSV.

The image is base64, a pointer (a cell of at most 64 characters: the ``index`` of another row with the same image), the
name of a file, or a path in ``image_path``, by the rules of its ``ImageBaseDataset``. In a circular table, which
repeats each question with rotated options (``index`` plus 1,000,000), only the first row of each question is read.
"""
