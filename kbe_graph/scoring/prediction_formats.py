"""Formats of prediction files: tables of any program, A-OKVQA, lmms-eval, Inspect and evalscope.

A format is recognised by the fields of a file's first record, or by the members of its JSON object.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from math import isfinite
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

from kbe_graph.errors import DatasetError
from kbe_graph.files.opening import first_bytes, first_line, is_archive, read_members
from kbe_graph.files.record import WORKBOOK, Record, parse_json, read_json
from kbe_graph.files.records import open_source, row_source
from kbe_graph.text import quoted
from kbe_graph.types import FORMS

_IDS = ("id", "question_id", "index")
_ANSWERS = ("prediction", "pred", "model_prediction", "response", "output", "text", "answer")
_GOLD = frozenset(["aliases", "question"])  # beside these, 'answer' is the gold answer, not a model's
_FAILED = "Failed to obtain answer via API."  # written by VLMEvalKit if the call to the model failed
_SAMPLES, _HEADERS = "samples/", ("header.json", "_journal/start.json")  # members of an Inspect log
_ATTACHED = "attachment://"
_FULL = frozenset(["length", "max_tokens", "model_length"])  # why a reply ended that was cut
_MOST = 1_000_000_000
_SETTINGS = {"multiple_choice": "options", "direct_answer": "image"}  # of A-OKVQA
_ENDS = {"general_vqa": "test", "general_vmcq": "val"}  # ending of an evalscope export's file name, by benchmark


class PredictionRow(NamedTuple):
    """A file's row about one answer, and the record it was read from.

    ``id`` is the question's id as given by the file; ``text`` is the reply, None if the call failed; ``options`` are
    the choices offered; ``is_cut`` is set if the reply reached its longest length; ``asked`` is the
    question's text. An empty field is absent from the file.
    """

    record: Record
    id: str
    text: str | None
    model: str = ""
    run: int | None = None
    variant: str = ""
    tokens: int | None = None
    options: tuple[str, ...] = ()
    is_cut: bool = False
    asked: str = ""


class PredictionSource(NamedTuple):
    """An opened prediction file: records, with the ``fields`` of the first, or the ``members`` of one JSON object.

    ``records`` starts from the beginning at each call.
    """

    file: Path
    fields: tuple[str, ...] = ()
    records: Callable[[], Iterator[Record]] = lambda: iter(())
    members: Mapping[str, Any] = {}


class PredictionFormat(NamedTuple):
    """A prediction format: what it looks for (used in messages), a test for its files, and a reader of its rows."""

    looks_for: str
    matches: Callable[[PredictionSource], bool]
    rows: Callable[[PredictionSource], Iterator[PredictionRow]]


def open_predictions(file: object) -> PredictionSource:
    """Open a prediction file, detecting from its content how it is packed, or rows in memory.

    Raises DatasetError, also if the file has no records.
    """
    if not isinstance(file, Path):
        rows = row_source(file)
        return PredictionSource(rows.file, rows.fields, rows.records)
    head = first_bytes(file)
    if is_archive(head) and WORKBOOK not in (names := tuple(read_members(file))):
        return PredictionSource(file, members=_archived(file, names))
    if ".jsonl" in file.suffixes or not _is_object(first_line(head)):
        source = open_source(file)
        return PredictionSource(file, source.fields, source.records)
    if members := read_json(file):
        return PredictionSource(file, members=members)
    raise DatasetError(file, "is empty; give a file with predictions")


def _is_object(line: str) -> bool:
    if not line.startswith("{"):
        return False
    try:
        return {*_IDS, "doc_id"}.isdisjoint(json.loads(line, parse_int=str))
    except (ValueError, RecursionError):
        return True


def _archived(file: Path, names: tuple[str, ...]) -> Mapping[str, Any]:
    header = next((name for name in _HEADERS if name in names), None)
    if header is None:
        raise DatasetError(file, f"neither a workbook nor an Inspect log; found {quoted(names, 5) or 'nothing'}")
    samples = [name for name in names if name.startswith(_SAMPLES) and name.endswith(".json")]
    content = read_members(file, header, *samples)
    values = {
        name: parse_json(Path(f"{file}: {name}"), content[name].decode("utf-8", "replace"))
        for name in (header, *samples)
    }
    head = values.pop(header)
    return {"eval": head.get("eval") if isinstance(head, dict) else None, "samples": values}


def _answer_text(record: Record, field: str) -> str:
    value = record.fields.get(field)
    if isinstance(value, str) and not value.strip():
        return ""
    if field in record.fields and (value is None or (isinstance(value, float) and not isfinite(value))):
        raise record.error(f"{field!r} is {value}; write an empty text if the model gave no answer")
    return record.text(field)


def _within(record: Record, field: str) -> Record:
    value = record.fields.get(field)
    return replace(record, fields=value if isinstance(value, Mapping) else {})


def _variant_of(record: Record, options: Sequence[str] = ()) -> str:
    form = record.optional("form")
    return form if form in FORMS[1:] else "options" if options else ""


def _question_text(record: Record) -> str:
    value = record.fields.get("question")
    return value.strip() if isinstance(value, str) else ""


def _count(record: Record, field: str) -> int | None:
    return record.number(field, below=_MOST) if record.has(field) else None


def _answer_field(fields: tuple[str, ...]) -> str:
    names = _ANSWERS if _GOLD.isdisjoint(fields) else _ANSWERS[:-1]
    return next((name for name in names if name in fields), "")


def refuse_gold(source: PredictionSource) -> None:
    """Raise DatasetError for a table that has the gold answer, but no reply of a model."""
    has_gold = "answer" in source.fields and not (_GOLD.isdisjoint(source.fields) or _is_table(source))
    if has_gold and not {*_IDS}.isdisjoint(source.fields):
        for _ in source.records():
            pass  # a line that cannot be read is told first
        problem = "'answer' is the gold answer, beside the question; give the model's in a field 'prediction'"
        raise DatasetError(source.file, problem)


def _is_table(source: PredictionSource) -> bool:
    return not {*_IDS}.isdisjoint(source.fields) and bool(_answer_field(source.fields))


def _table_rows(source: PredictionSource) -> Iterator[PredictionRow]:
    name = _answer_field(source.fields)
    for record in source.records():
        id_field = next((field for field in _IDS if record.has(field)), "id" if "id" in source.fields else _IDS[-1])
        options = _lettered(record)
        is_cell = name == "prediction" and name in record.fields  # VLMEvalKit leaves it blank for an empty reply
        text = record.optional(name) if is_cell else _answer_text(record, name)
        yield PredictionRow(
            record,
            record.text(id_field),
            None if text == _FAILED else text,
            record.optional("model") or record.optional("model_id"),
            _count(record, "run"),
            record.optional("variant") or _variant_of(record, options),
            _count(record, "tokens"),
            options,
            not _FULL.isdisjoint((record.optional("finish_reason"), record.optional("stop_reason"))),
            _question_text(record),
        )


def _lettered(record: Record) -> tuple[str, ...]:
    if not {"A", "B"} <= record.fields.keys():
        return ()
    options = (record.optional(letter) for letter in ascii_uppercase if letter in record.fields)
    return tuple(takewhile(bool, options))


def _is_dictionary(source: PredictionSource) -> bool:
    return any(
        isinstance(value, str) or (isinstance(value, dict) and not _SETTINGS.keys().isdisjoint(value))
        for value in source.members.values()
    )


def _dictionary_rows(source: PredictionSource) -> Iterator[PredictionRow]:
    for id_, value in source.members.items():
        answers = {"answer": value} if isinstance(value, str) else value if isinstance(value, dict) else {}
        record = Record(source.file, answers, item=f"item {quoted([id_])}")
        fields = [field for field in ("answer", *_SETTINGS) if field in answers]
        if not fields:
            raise record.error("expected a text, or an object with 'multiple_choice' or 'direct_answer'")
        for field in fields:
            yield PredictionRow(record, id_, _answer_text(record, field), variant=_SETTINGS.get(field, ""))


def _is_samples(source: PredictionSource) -> bool:
    return "doc_id" in source.fields and not {"filtered_resps", "resps"}.isdisjoint(source.fields)


def _sample_rows(source: PredictionSource) -> Iterator[PredictionRow]:
    for record in source.records():
        field = "filtered_resps" if "filtered_resps" in record.fields else "resps"
        doc, replies = _within(record, "doc"), _flat(record.fields.get(field))
        parts = [(part, name) for part in (doc, _within(record, "submission"), record) for name in _IDS[:2]]
        id_ = next((part.text(name) for part, name in parts if part.has(name)), "")
        for run, reply in enumerate(replies, 1):
            yield PredictionRow(
                record,
                id_ or f"doc_id {record.text('doc_id')}",
                _answer_text(replace(record, fields={field: reply}), field),
                run=run if len(replies) > 1 else None,
                variant=_variant_of(doc),
            )


def _flat(replies: Any) -> list[Any]:
    return [inner for each in replies for inner in _flat(each)] if isinstance(replies, list) else [replies]


def _log_rows(source: PredictionSource) -> Iterator[PredictionRow]:
    model = _within(Record(source.file, source.members, item="'eval'"), "eval").text("model")
    samples = source.members.get("samples") or {}
    named = samples if isinstance(samples, dict) else {f"sample {n}": each for n, each in enumerate(samples, 1)}
    for place, fields in named.items():
        sample = _within(Record(source.file, {"sample": fields}, item=place), "sample")
        output, options = _within(sample, "output"), sample.texts("choices")
        is_answered = not sample.has("error") and (output.has("completion") or output.has("choices"))
        yield PredictionRow(
            sample,
            sample.text("id"),
            _completion(sample, output) if is_answered else None,
            model,
            sample.number("epoch", below=_MOST),
            _variant_of(_within(sample, "metadata"), options),
            _count(_within(output, "usage"), "output_tokens"),
            options,
            _is_cut(output),
        )


def _completion(sample: Record, output: Record) -> str:
    text = _answer_text(output, "completion") if "completion" in output.fields else _first_choice(output)
    if not text.startswith(_ATTACHED):
        return text
    return _answer_text(_within(sample, "attachments"), text.removeprefix(_ATTACHED))


def _first_choice(output: Record) -> str:
    """Return the text of the first choice of a log without a completion; the text may come in parts."""
    message = _within(_choice(output), "message")
    content = message.fields.get("content")
    if not isinstance(content, list):
        return _answer_text(message, "content")
    parts = [_within(replace(output, fields={"content": part}), "content") for part in content]
    return "\n".join(_answer_text(part, "text") for part in parts if part.fields.get("type") == "text")


def _choice(output: Record) -> Record:
    choices = output.fields.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else choices
    return _within(replace(output, fields={"choice": first}), "choice")


def _is_cut(output: Record) -> bool:
    return _choice(output).fields.get("stop_reason") in _FULL


def _evalscope_rows(source: PredictionSource) -> Iterator[PredictionRow]:
    lines = _exported(source.file)
    for record in source.records():
        place = record.number("index", below=_MOST)
        if place >= len(lines) or not _is_asked(lines[place], record.fields["messages"]):
            raise record.error(
                f"question {place} does not match the export that this file is in; move the file to its own export"
            )
        line, output = lines[place], _within(record, "model_output")
        options = line.texts("options")
        yield PredictionRow(
            record,
            line.text("id"),
            _first_choice(output) if output.has("choices") else None,
            record.optional("model"),
            variant=_variant_of(line, options),
            options=options,
            is_cut=_is_cut(output),
        )


def _exported(file: Path) -> list[Record]:
    benchmark = next((name for name in _ENDS if file.name.startswith(f"{name}_")), "")
    group = file.name.removeprefix(f"{benchmark}_").partition(".")[0]
    name = f"{group}_{_ENDS.get(benchmark)}.jsonl"
    lines = next((folder / name for folder in file.absolute().parents if (folder / name).is_file()), None)
    if lines is None:
        raise DatasetError(
            file, f"no {name!r} in any folder above it; run evalscope in the export's folder, or move the file there"
        )
    return list(open_source(lines).records())


def _is_asked(line: Record, messages: Any) -> bool:
    if line.has("question"):
        words = line.text("question")
        words = words.partition("> ")[2] or words
    else:
        words = line.fields["messages"][0]["content"][-1]["text"]
    return json.dumps(words)[1:-1] in json.dumps(messages)


FORMATS: Mapping[str, PredictionFormat] = {
    "inspect": PredictionFormat(
        "inspect: a log with 'eval' and 'samples'", lambda source: "eval" in source.members, _log_rows
    ),
    "lmms-eval": PredictionFormat("lmms-eval: 'doc_id' and 'filtered_resps'", _is_samples, _sample_rows),
    "evalscope": PredictionFormat(
        "evalscope: 'index', 'messages' and 'model_output', in the folder of its export",
        lambda source: {"index", "model_output", "messages"} <= set(source.fields),
        _evalscope_rows,
    ),
    "table": PredictionFormat(f"table: one of {quoted(_IDS)} and one of {quoted(_ANSWERS)}", _is_table, _table_rows),
    "aokvqa": PredictionFormat(
        "aokvqa: an object of ids, each with a text, or with 'multiple_choice' or 'direct_answer'",
        _is_dictionary,
        _dictionary_rows,
    ),
}
"""The formats by name, in the order of recognition."""
