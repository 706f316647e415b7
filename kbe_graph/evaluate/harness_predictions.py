"""Readers of predictions by other harnesses: VLMEvalKit, lmms-eval, Inspect and evalscope."""

from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from kbe_graph.errors import DatasetError
from kbe_graph.evaluate.prediction_source import (
    PredictionFormat,
    PredictionRow,
    PredictionSource,
    answer_text,
    variant_of,
)
from kbe_graph.files.record import Record
from kbe_graph.files.records import open_source

_FAILED = "Failed to obtain answer via API."  # written by VLMEvalKit if the call to the model failed
_ATTACHED = "attachment://"
_MOST = 1_000_000_000


def _is_table(source: PredictionSource) -> bool:
    return {"index", "prediction"} <= set(source.fields)


def _table_rows(source: PredictionSource) -> Iterator[PredictionRow]:
    for record in source.records():
        name = next(field for field in ("id", "question_id", "index") if record.has(field) or field == "index")
        options = _lettered(record)
        text = record.optional("prediction")
        yield PredictionRow(
            record,
            record.text(name),
            None if text == _FAILED else text,
            variant=variant_of(record, has_options=bool(options)),
            options=options,
        )


def _lettered(record: Record) -> tuple[str, ...]:
    if not {"A", "B"} <= record.fields.keys():
        return ()
    options = (record.optional(letter) for letter in ascii_uppercase if letter in record.fields)
    return tuple(takewhile(bool, options))


VLMEVALKIT_TABLE = PredictionFormat("vlmevalkit: 'index' and 'prediction'", _is_table, _table_rows)


def _is_samples(source: PredictionSource) -> bool:
    return {"doc_id", "filtered_resps"} <= set(source.fields)


def _sample_rows(source: PredictionSource) -> Iterator[PredictionRow]:
    for record in source.records():
        variant = variant_of(_part_or_whole(record, "doc"), has_options=False)
        yield PredictionRow(record, _sample_id(record), _only_reply(record), variant=variant)


def _sample_id(record: Record) -> str:
    for part in ("doc", "submission", ""):
        fields = record.fields.get(part) if part else record.fields
        inner = Record(record.file, fields if isinstance(fields, Mapping) else {}, record.line, record.item)
        for name in ("id", "question_id"):
            if inner.has(name):
                return inner.text(name)
    return f"doc_id {record.text('doc_id')}"


def _only_reply(record: Record) -> str:
    reply: Any = record.fields["filtered_resps"] if "filtered_resps" in record.fields else record.text("filtered_resps")
    while isinstance(reply, list):
        if len(reply) != 1:
            raise record.error(f"'filtered_resps' must hold one reply; found {len(reply)}")
        reply = reply[0]
    return answer_text(Record(record.file, {"filtered_resps": reply}, record.line, record.item), "filtered_resps")


LMMS_SAMPLES = PredictionFormat("lmms-eval: 'doc_id' and 'filtered_resps'", _is_samples, _sample_rows)


def _is_log(source: PredictionSource) -> bool:
    return any(item.key == "eval" and not item.listed for item in source.first)


def _log_rows(source: PredictionSource) -> Iterator[PredictionRow]:
    model = ""
    for item in source.items():
        if item.key == "eval" and not item.listed:
            model = _part(Record(source.file, {"eval": item.value}, item="'eval'"), "eval").text("model")
        if item.section == "samples":
            place = item.key if item.key.startswith("samples") else f"sample {item.key}"
            yield _logged(Record(source.file, {"sample": item.value}, item=place), model)


def _logged(record: Record, model: str) -> PredictionRow:
    sample = _part(record, "sample")
    output = _part(sample, "output") if sample.has("output") else Record(record.file, {}, item=record.item)
    is_answered = output.has("completion") or output.has("choices")
    usage = _part(output, "usage") if output.has("usage") else output
    options = sample.texts("choices")
    text = _completion(sample, output) if is_answered and not sample.has("error") else None
    return PredictionRow(
        sample,
        sample.text("id"),
        text,
        model,
        sample.number("epoch", below=_MOST),
        variant=variant_of(_part_or_whole(sample, "metadata"), has_options=bool(options)),
        tokens=usage.number("output_tokens", below=_MOST) if usage.has("output_tokens") else None,
        options=options,
    )


def _completion(sample: Record, output: Record) -> str:
    text = answer_text(output, "completion") if "completion" in output.fields else completion_of(output)
    if not text.startswith(_ATTACHED):
        return text
    return answer_text(_part(sample, "attachments"), text.removeprefix(_ATTACHED))


def completion_of(output: Record) -> str:
    """Return the text of the first choice of a log without a completion; the text may come in parts."""
    choices = output.fields["choices"]
    choice = Record(output.file, {"choice": choices[0] if isinstance(choices, list) else choices}, item=output.item)
    message = _part(_part(choice, "choice"), "message")
    content = message.fields.get("content")
    if not isinstance(content, list):
        return answer_text(message, "content")
    parts = [_part(Record(output.file, {"content": part}, item=output.item), "content") for part in content]
    return "\n".join(answer_text(part, "text") for part in parts if part.fields.get("type") == "text")


def _part(record: Record, field: str) -> Record:
    value = record.fields.get(field)
    if not isinstance(value, dict):
        raise record.error(f"{field!r} must be an object; found {str(value)[:60]!r}")
    return Record(record.file, value, record.line, record.item)


def _part_or_whole(record: Record, field: str) -> Record:
    return _part(record, field) if isinstance(record.fields.get(field), dict) else record


INSPECT_LOG = PredictionFormat("inspect: a log with 'eval' and 'samples'", _is_log, _log_rows)


_ENDS = {"general_vqa": "test", "general_vmcq": "val"}  # ending of an export's file name, by benchmark


def _is_predictions(source: PredictionSource) -> bool:
    return {"index", "model_output", "messages"} <= set(source.fields)


def _rows(source: PredictionSource) -> Iterator[PredictionRow]:
    lines = _exported(source.file)
    for record in source.records():
        place = record.number("index", below=_MOST)
        if place >= len(lines) or not _is_asked(lines[place], record.fields["messages"]):
            raise record.error(
                f"question {place} does not match the export that this file is in; move the file to its own export"
            )
        line, output = lines[place], Record(record.file, record.fields["model_output"] or {}, record.line, record.item)
        options = line.texts("options")
        yield PredictionRow(
            record,
            line.text("id"),
            completion_of(output) if output.has("choices") else None,
            record.optional("model"),
            variant=variant_of(line, has_options=bool(options)),
            options=options,
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
        words = [line.text("question").partition("> ")[2] or line.text("question")]
    else:
        words = [part["text"] for part in line.fields["messages"][0]["content"] if part["type"] == "text"]
    text = " ".join(_texts(messages))
    return all(word in text for word in words)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts(value.get("content", value.get("text", "")))
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


EVALSCOPE_PREDICTIONS = PredictionFormat(
    "evalscope: 'index', 'messages' and 'model_output', in the folder of its export", _is_predictions, _rows
)
