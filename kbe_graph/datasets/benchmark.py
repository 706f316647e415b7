"""Reading of a benchmark as samples, and the demo's files."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from kbe_graph.brief import brief, readable
from kbe_graph.datasets.format import FIELDS, FileReading, Format, ReadOptions, SampleRow, all_fields, left_over
from kbe_graph.datasets.known_sets import AOKVQA, OKVQA
from kbe_graph.datasets.nested import each_question
from kbe_graph.datasets.picture import PictureFetch, holds_picture, with_pictures
from kbe_graph.datasets.table import TABLE, VLMEVALKIT
from kbe_graph.errors import DatasetError, InputError, ResourceError
from kbe_graph.files.image import IMAGE_ENDINGS, ImageFolders, image_id
from kbe_graph.files.opening import MOST_ID
from kbe_graph.files.record import BadRows, Record
from kbe_graph.files.records import (
    LOOKED,
    RecordSource,
    asks,
    data_files,
    has_data_files,
    open_shards,
    row_source,
    visible_files,
)
from kbe_graph.files.resources import data
from kbe_graph.plugins import Registry
from kbe_graph.text import check_name, fold, has_controls, on_one_line, quoted
from kbe_graph.types import Sample, sample_of_question

FORMATS: Registry[Format] = Registry(
    "benchmark format",
    "kbe_graph.formats",
    {"aokvqa": AOKVQA, "vlmevalkit": VLMEVALKIT, "okvqa": OKVQA, "table": TABLE},
)


PHOTOS = "photos"
_REPEATED = "rows with an id that several questions about one picture share, numbered (ID-2, ID-3)"
_MANY = 10  # with fewer answers, that all are the same is no wonder
_NUMBERED = "rows with an id that other rows have, numbered (ID-2, ID-3)"


class Benchmark(NamedTuple):
    """The samples in file order, and the format that they were read in.

    Missing images, and images outside the folders (which are not read), are each listed once.
    ``image_folders`` are the folders that a sample's images were looked for in, by its id. ``reading`` reports how the
    file was read.
    """

    samples: tuple[Sample, ...]
    format: str
    missing_images: tuple[str, ...]
    outside_images: tuple[str, ...]
    image_folders: Mapping[str, tuple[Path, ...]]
    reading: FileReading


def read_benchmark(
    data: object,
    *,
    benchmark: str,
    split: str = "",
    format: str | None = None,  # noqa: A002 - the option's name
    columns: Mapping[str, str] | None = None,
    images: Path | None = None,
    annotations: Path | None = None,
    save_images: Path | None = None,
    fetch: PictureFetch | None = None,
    skip_bad: bool = False,
    number: bool = False,
) -> Benchmark:
    """Read a benchmark from a file (gzipped or not), a folder or pattern of shards, or rows in memory.

    Rows are a list of dictionaries, a DataFrame, or a ``datasets.Dataset``. Each photo of a folder without data files
    becomes a sample without a question.

    ``benchmark`` and ``split`` are the first parts of each sample's id; without ``split``, the sample's own is used, or
    ``all``. ``format`` is a name in ``FORMATS`` (default: recognised from the content); ``columns`` maps fields of a
    sample to columns of a table. ``annotations`` is the second file of an official pair (default: searched for beside
    the first). Images are searched for in ``images`` and beside the file, those of rows in ``images`` or the current
    folder; embedded ones are saved in ``save_images``,
    named by content; those given by web address come from ``fetch``. Questions, answers, choices and rationales are put
    on one line, without control characters. With ``skip_bad``, rows with errors are left out and counted by reason;
    with ``number``, an id that repeats gets a number. Raises DatasetError naming file, line, field and value.
    """
    check_names(benchmark, split)
    if images is not None and not Path(images).is_dir():
        raise DatasetError(images, "no such folder of images; check the path")
    if isinstance(data, str | Path) and is_photo_folder(Path(data)):
        if format or columns:
            raise InputError("a folder of photos has no format and no columns; leave them out")
        photos = photo_samples(Path(data), benchmark, split or "all")
        return Benchmark(photos, PHOTOS, (), (), {each.id: (Path(data),) for each in photos}, FileReading())
    bad = BadRows(skip_bad)
    source = open_shards(data_files(Path(data)), bad) if isinstance(data, str | Path) else row_source(data, bad)
    source = each_question(source, columns or {}, bad) if format in (None, "table") else source
    wanted = format or ("table" if columns else "")
    is_file = isinstance(data, str | Path)
    around = source.file.parent if is_file else None if images else Path.cwd()
    name = wanted or _recognise(source, ImageFolders([Path(each) for each in (images, around) if each]))
    reader = FORMATS.require(name)
    if annotations is not None and reader in (TABLE, VLMEVALKIT, AOKVQA):
        raise InputError(f"{name} has its answers in the file itself; leave out `annotations`, or name another format")
    if columns and name != "table":
        raise InputError(f"only a table takes a map of columns, not {name!r}; leave out the map or the format")
    reading = FileReading()
    rows = reader.rows(source, ReadOptions(columns or {}, annotations, save_images, reading, bad))
    folders: dict[str, tuple[Path, ...]] = {}
    samples = []
    pictured = with_pictures(rows, fetch, reading)
    for record, sample in _with_ids(pictured, benchmark, split, reading, bad=bad, number=number):
        samples.append(sample)
        beside = record.file.parent if is_file else around
        folders[sample.id] = tuple(dict.fromkeys(Path(folder) for folder in (images, beside) if folder is not None))
    if not reading.fields:
        fields = all_fields(source)
        reading.fields = {name: column for name, column in reader.columns.items() if column in fields}
        reading.left_over = left_over(fields, reader.columns.values()) if reader.columns else ()
    saved = () if save_images is None else (save_images,)
    places = ImageFolders((), {id_: (*saved, *own) for id_, own in folders.items()})
    if not samples:
        raise DatasetError(source.file, f"no usable row: {', '.join(bad.notes())}")
    missing, outside = _not_read(samples, places)
    samples = [*_with_own_pictures(samples, places)]
    if {name for sample in samples for name in sample.images} <= {"", *missing, *outside}:
        _name_pictures(source, reading, len(samples))
    notes = bad.notes() | _contradictions(samples) | _same_answer(samples)
    reading.notes.update(notes | _short_names(samples, {*missing}, places))
    return Benchmark(tuple(samples), name, missing, outside, folders, reading)


def _recognise(source: RecordSource, folders: ImageFolders) -> str:
    try:
        return FORMATS.recognise(source, file=source.file, fields=source.fields)
    except DatasetError as error:
        raise DatasetError(error.where, _columns_to_try(source, folders) + error.problem) from None


def _columns_to_try(source: RecordSource, folders: ImageFolders) -> str:
    """Word a map of columns, guessed from what the first rows hold; empty if none of them asks."""

    def is_picture(cell: object) -> bool:
        return holds_picture(cell) or (isinstance(cell, str) and bool(cell) and folders.find(cell) is not None)

    cells = {name: [row.fields.get(name) for row in islice(source.records(), LOOKED)] for name in source.fields}
    asking = {name: sum(map(asks, column)) for name, column in cells.items()}
    question = max(asking, key=lambda name: asking[name])
    if not asking[question]:
        nested = [
            name
            for name, column in cells.items()
            if any(isinstance(cell, list) and "?" in str(cell) for cell in column)
        ]
        return f"write each question of {quoted(nested)} as a row of its own; " if nested else ""
    picture = next((name for name, column in cells.items() if any(map(is_picture, column))), "")
    others = [name for name in cells if name not in {question, picture, *FIELDS["id"]}]
    found = {"question": question, "answer": others[-1] if others else "", "image": picture}
    named = ",".join(f"{field}={column}" for field, column in found.items() if column)
    return f"which column is which? perhaps `columns` {named!r}; "


def _name_pictures(source: RecordSource, reading: FileReading, count: int) -> None:
    for record in islice(source.records(), LOOKED):
        columns = [name for name in reading.left_over if holds_picture(record.fields.get(name))]
        if columns:
            held = f"column {columns[0]!r} holds pictures: set image={columns[0]}"
            if len(columns) > 1:
                held = f"columns {quoted(columns, 5)} hold pictures: call those of one question image_1, image_2"
            reading.notes[f"samples without a picture, though {held}"] = count
            return


def _contradictions(samples: Sequence[Sample]) -> dict[str, int]:
    """Count the open questions asked again of a picture with another answer."""
    asked: dict[tuple[object, ...], Sample] = {}
    pairs = []
    for sample in samples:
        if not (sample.question and sample.image_id) or sample.choices:
            continue
        first = asked.setdefault((fold(sample.question), sample.image_id, sample.more_images), sample)
        if fold(first.answer) != fold(sample.answer):
            pairs.append(f"{first.id!r} and {sample.id!r}")
    return (
        {f"questions asked of their picture before with another answer, {pairs[0]} first": len(pairs)} if pairs else {}
    )


def _same_answer(samples: Sequence[Sample]) -> dict[str, int]:
    """Count the answers where all are the same, as where another column was meant."""
    is_same = len(samples) >= _MANY and len({fold(sample.answer) for sample in samples}) == 1
    return {f"answers, all of them {samples[0].answer!r}": len(samples)} if is_same else {}


def _short_names(samples: Sequence[Sample], missing: Collection[str], places: ImageFolders) -> dict[str, int]:
    """Count the numbers that are the name of no picture, as one with leading zeros is; spreadsheets drop these."""
    numbers = {each.image: each.id for each in samples if each.image in missing and image_id(each.image).isdecimal()}
    short = [(name, file.name) for name, id_ in numbers.items() if (file := places.find(image_id(name), id_))]
    return (
        {f"missing images whose names lack zeros, as {short[0][0]!r} for {short[0][1]!r}": len(short)} if short else {}
    )


def check_names(benchmark: str, split: str) -> None:
    """Raise InputError for names that cannot be part of a sample's id."""
    for name, value in (("benchmark", benchmark), ("split", split)):
        check_name(name, value)
        if "/" in value or (name == "benchmark" and not value.strip()):
            raise InputError(f"{name} {value!r} cannot begin a sample's id; use a word without '/'")


def _with_ids(
    rows: Iterator[SampleRow], benchmark: str, split: str, reading: FileReading, *, bad: BadRows, number: bool
) -> Iterator[SampleRow]:
    places: dict[str, str] = {}
    asked: dict[str, tuple[str, list[str]]] = {}  # the picture and the questions of each id in the file
    for record, sample in rows:
        with bad:
            _refuse_long(record, sample)
            own = split or sample.split or "all"
            if own != (sample.split or own):
                reading.notes[f"rows of another split, {sample.split!r} first, loaded as {split!r}"] += 1
            name = f"{benchmark}/{own}/{sample.id}"
            if has_controls(name):
                field, value = ("id", sample.id) if has_controls(sample.id) else ("split", own)
                raise record.error(f"{field} {value!r} contains a line break or another control character; remove it")
            if sample_of_question(name) != name:
                raise record.error(f"id {sample.id!r} looks like the id of a question (sample@run/hop); change it")
            picture = sample.image or sample.image_id
            first_picture, questions = asked.setdefault(name, (picture, []))
            is_another = bool(questions and picture) and picture == first_picture and sample.question not in questions
            questions.append(sample.question)
            if is_another or (number and len(questions) > 1):
                reading.notes[_NUMBERED if number else _REPEATED] += 1
                name = f"{name}-{len(questions)}"
            if name in places:
                fault = f"id {sample.id!r} is already used at {places[name]}; give each question its own id"
                raise record.error(f"{fault}, or `number` them")
            places[name] = record.place
            yield SampleRow(record, replace(_on_one_line(record, sample), id=name, benchmark=benchmark, split=own))


def _on_one_line(record: Record, sample: Sample) -> Sample:
    question, answer = map(on_one_line, (sample.question, sample.answer))
    for field, text in (("question", question), ("answer", answer)):
        if not text:
            raise record.error(f"{field!r} contains only control characters; write it as text")
    return replace(
        sample,
        question=question,
        answer=answer,
        answers=tuple(filter(None, map(on_one_line, sample.answers))),
        choices=tuple(map(on_one_line, sample.choices)),
        choice=on_one_line(sample.choice),
        category=on_one_line(sample.category),
        rationales=tuple(filter(None, map(on_one_line, sample.rationales))),
    )


def _refuse_long(record: Record, sample: Sample) -> None:
    record.refuse_long("id", [sample.id], MOST_ID)
    record.refuse_long("image", sample.images, MOST_ID)
    record.refuse_long("question", [sample.question])
    record.refuse_long("answer", [sample.answer, *sample.answers])
    record.refuse_long("choices", sample.choices)
    record.refuse_long("rationales", sample.rationales)
    record.refuse_long("category", [sample.category])


def _with_own_pictures(samples: Sequence[Sample], places: ImageFolders) -> Iterator[Sample]:
    """Yield the samples, where shards have other pictures under one name, with their folder in the pictures' ids."""
    files = {sample.id: places.find(sample.image, sample.id) if sample.image else None for sample in samples}
    by_key: dict[str, set[Path]] = defaultdict(set)
    for sample in samples:
        if (file := files[sample.id]) and sample.image_id:
            by_key[sample.image_id].add(file)
    for sample in samples:
        file = files[sample.id]
        several = file and len({each.parent for each in by_key[sample.image_id]}) > 1
        yield replace(sample, image_id=f"{file.parent.name}/{sample.image_id}") if file and several else sample


def _not_read(samples: Sequence[Sample], folders: ImageFolders) -> tuple[tuple[str, ...], tuple[str, ...]]:
    images = [(each, name) for each in samples for name in (each.image or each.image_id, *each.more_images) if name]
    places = {(name, folders.own[sample.id]): sample.id for sample, name in images}
    away = {name: id_ for (name, _), id_ in places.items() if not folders.find(name, id_)}
    outside = tuple(name for name, id_ in away.items() if folders.leads_out(name, id_))
    return tuple(name for name in away if name not in outside), outside


NAME = "demo"
"""The demo benchmark's name, the first part of each sample's id."""


@brief()
class Demo(NamedTuple):
    """The demo's files: the samples, the scene graphs in GQA's format, and the folder of photos."""

    samples: Path
    scene_graphs: Path
    images: Path


@readable
def demo() -> Demo:
    """Return the files of the demo; raises ResourceError if the package is not installed in a folder.

    >>> kbe.demo().samples.name
    'samples.jsonl'
    """
    folder = Path(str(data("demo")))
    if not folder.is_dir():
        raise ResourceError(f"the demo is not in a folder, but at {str(folder)!r}; install kbe-graph unpacked")
    return Demo(folder / "samples.jsonl", folder / "scene_graphs.json", folder / "images")


def is_photo_folder(folder: Path) -> bool:
    """Return True for a folder in or below which there are pictures and no data file."""
    return folder.is_dir() and not has_data_files(folder) and bool(_photos(folder))


def photo_samples(folder: Path, benchmark: str, split: str) -> tuple[Sample, ...]:
    """Read each photo in or below a folder as a sample, in order of the names; its id is the path without the ending.

    Raises DatasetError for a name that cannot be an id, and for two that give the same.
    """
    samples: dict[str, Sample] = {}
    for file in _photos(folder):
        image = file.relative_to(folder).as_posix()
        name = image.removesuffix(file.suffix)
        id_ = f"{benchmark}/{split}/{name}"
        if has_controls(name) or len(image) > MOST_ID or sample_of_question(id_) != id_:
            raise DatasetError(file, "has a name that cannot be the id of a sample; give it a plain name")
        if id_ in samples:
            raise DatasetError(file, f"has the name of {samples[id_].image!r} but for the ending; rename one of them")
        samples[id_] = Sample(id_, benchmark, split, "", "", image=image, image_id=name)
    return tuple(samples.values())


def _photos(folder: Path) -> list[Path]:
    return [path for path in visible_files(folder) if path.suffix.lower() in IMAGE_ENDINGS]
