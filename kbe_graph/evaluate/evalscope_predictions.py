"""Predictions of evalscope: it numbers them, and the export that they lie in says which question has which number."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kbe_graph.errors import DatasetError
from kbe_graph.evaluate.harness_predictions import chosen_or_said, completion_of
from kbe_graph.evaluate.prediction_source import PredictionFormat, PredictionRow, PredictionSource, variant_of
from kbe_graph.files.record import Record
from kbe_graph.files.records import open_source

_ENDS = {"general_vqa": "test", "general_vmcq": "val"}  # of an export's files, by the benchmark that reads them
_MOST = 1_000_000_000


def _is_predictions(source: PredictionSource) -> bool:
    return {"index", "model_output", "messages"} <= set(source.fields)


def _rows(source: PredictionSource) -> Iterator[PredictionRow]:
    """Yield the rows of a file of ``predictions/MODEL``, whose ``index`` counts the lines of the export's file."""
    lines = _exported(source.file)
    for record in source.records():
        place = record.number("index", below=_MOST)
        if place >= len(lines) or not _is_asked(lines[place], record.fields["messages"]):
            raise record.error(f"question {place} of the export that this lies in is another; put it into its own")
        line, output = lines[place], Record(record.file, record.fields["model_output"] or {}, record.line, record.item)
        options = line.texts("options")
        yield PredictionRow(
            record,
            line.text("id"),
            chosen_or_said(completion_of(output), options) if output.has("choices") else None,
            record.optional("model"),
            variant=variant_of(line, has_options=bool(options)),
        )


def _exported(file: Path) -> list[Record]:
    """Return the lines of an export that a file of predictions answers: the export is a folder above it."""
    benchmark = next((name for name in _ENDS if file.name.startswith(f"{name}_")), "")
    group = file.name.removeprefix(f"{benchmark}_").partition(".")[0]
    name = f"{group}_{_ENDS.get(benchmark)}.jsonl"
    lines = next((folder / name for folder in file.absolute().parents if (folder / name).is_file()), None)
    if lines is None:
        raise DatasetError(
            file, f"no {name!r} in a folder above it; run evalscope in the export's folder, or put it there"
        )
    return list(open_source(lines).records())


def _is_asked(line: Record, messages: Any) -> bool:
    """Return whether messages hold the words of an export's line."""
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
