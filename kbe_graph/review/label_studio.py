"""Questions as Label Studio tasks, and the decisions in its JSON export."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kbe_graph.files.record import Record
from kbe_graph.files.records import open_source
from kbe_graph.files.resources import data
from kbe_graph.files.whole import replacing
from kbe_graph.review.review_record import FLAGS, seconds_in
from kbe_graph.review.sheet import (
    NEW,
    Given,
    Items,
    SheetItem,
    deciding_words,
    given_review,
    require_given,
    sheet_words,
)
from kbe_graph.types.review import CRITERIA

CHOICES = ("verdict", *CRITERIA)
CONFIG = "export/labelling.xml"
FLAT = "annotation_id"  # a field of Label Studio's JSON-MIN and CSV, which overwrite our id by a task number


def control(name: str) -> str:
    """Get the name of a column in the labelling configuration, which allows no spaces."""
    return name.replace(" ", "_")


TEXTS = tuple(map(control, ("reason", *FLAGS, *NEW)))
_COLUMNS = {control(name): name for name in (*CHOICES, "reason", *FLAGS, *NEW)} | {"note": "reason"}


def write_label_studio(file: Path, items: Items) -> int:
    """Write questions as tasks, with the labelling configuration (``.xml``) beside them, and return their number.

    Existing decisions are included as predictions, with the reviewer's name as the model. Raises InputError.
    """
    with replacing(file) as stream:
        json.dump([_task(item) for item in items], stream, ensure_ascii=False, indent=1)
    with replacing(file.with_suffix(".xml")) as stream:
        stream.write(data(CONFIG).read_text(encoding="utf-8"))
    return len(items)


def _task(item: SheetItem) -> dict[str, Any]:
    words = sheet_words(item)
    fields = {control(name): word for name, word in words.items()} | {"image": item.picture or item.sample.image}
    task: dict[str, Any] = {"data": fields | {"triplets": "\n".join(item.path)}}
    review, decided = item.state.deciding, deciding_words(item)
    if review:
        result = [_result(control(name), word) for name, word in decided.items()]
        task["predictions"] = [{"model_version": review.reviewer, "result": result}]
    return task


def _result(name: str, word: str) -> dict[str, Any]:
    kind, value = ("choices", {"choices": [word]}) if name in CHOICES else ("textarea", {"text": [word]})
    return {"from_name": name, "to_name": "img", "type": kind, "value": value}


def read_label_studio(file: Path, reviewer: str = "") -> list[Given]:
    """Read the decisions in an export (JSON); tasks without an annotation and skipped ones are ignored.

    An annotator is named by email address if the export has it, or else by ``reviewer``, or else by number. Raises
    DatasetError with file, item and field.
    """
    return require_given(file, _decisions(file, reviewer))


def _decisions(file: Path, reviewer: str) -> Iterator[Given]:
    for record in open_source(file).records():
        if FLAT in record.fields:
            raise record.error("the questions' ids are lost in JSON-MIN and CSV; export from Label Studio as JSON")
        task = Record(record.file, mapping_in(record, "data"), record.line, record.item)
        for annotation in list_in(record, "annotations"):
            if annotation.get("was_cancelled"):
                continue
            words = _words(task, annotation)
            if "verdict" not in words:
                raise task.error("an annotation has no 'verdict'; choose one in Label Studio")
            yield given_review(
                task,
                task.text("id"),
                task.optional("version"),
                _annotator(annotation.get("completed_by"), reviewer),
                words,
                seconds=_seconds(task, annotation),
                time=str(annotation.get("created_at") or ""),
            )


def _words(task: Record, annotation: Mapping[str, Any]) -> dict[str, str]:
    words: dict[str, str] = {}
    for result in list_in(Record(task.file, annotation, task.line, task.item), "result"):
        name, value = str(result.get("from_name")), result.get("value")
        if name not in _COLUMNS or not isinstance(value, Mapping):
            raise task.error(f"'result' has {name!r}, which is not a column; use the exported {Path(CONFIG).name}")
        texts = value.get("choices") or value.get("text") or []
        given = [texts] if isinstance(texts, str) else [str(text) for text in texts]
        if name in CHOICES and len(given) > 1:
            raise task.error(f"{name!r} has {len(given)} choices; keep one")
        words[_COLUMNS[name]] = "\n".join(given) if name in TEXTS else "".join(given)
    return words


def _annotator(completed_by: object, reviewer: str) -> str:
    if isinstance(completed_by, Mapping) and completed_by.get("email"):
        return str(completed_by["email"])
    number = completed_by.get("id") if isinstance(completed_by, Mapping) else completed_by
    return reviewer or ("" if number is None else f"annotator {number}")


def _seconds(task: Record, annotation: Mapping[str, Any]) -> float:
    return seconds_in(Record(task.file, annotation, task.line, task.item), "lead_time")


def mapping_in(record: Record, field: str) -> Mapping[str, Any]:
    """Get the mapping in a field. Raises DatasetError if it is anything else."""
    value = record.fields.get(field)
    if not isinstance(value, Mapping):
        raise record.error(f"{field!r} is not a mapping; export the reviewed questions again as JSON")
    return value


def list_in(record: Record, field: str) -> list[Mapping[str, Any]]:
    """Get the list of mappings in a field, empty if the field is. Raises DatasetError if it is anything else."""
    value = record.fields.get(field) or []
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        raise record.error(f"{field!r} is not a list of mappings; export the reviewed questions again as JSON")
    return value
