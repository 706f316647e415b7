"""Questions as Argilla records with their dataset settings, and the decisions in such records."""

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kbe_graph.files.record import Record
from kbe_graph.files.records import open_source
from kbe_graph.files.whole import replacing
from kbe_graph.review.label_studio import CHOICES, TEXTS, control, list_in, mapping_in
from kbe_graph.review.review_record import OPINIONS, VERDICTS
from kbe_graph.review.sheet import (
    ASKED,
    HELPS,
    Given,
    Items,
    SheetItem,
    deciding_words,
    given_review,
    require_given,
    sheet_words,
)

_FIELDS = ("question", "answer", "aliases", "options", "key_path")
PICTURE = "picture"  # not "image": Argilla refuses a field named like a question, here the criterion
_COLUMNS = {name: name.replace("_", " ") for name in (*CHOICES, *TEXTS)}


def write_argilla(file: Path, items: Items) -> int:
    """Write questions as records, with the dataset settings in a second file, and return their number.

    Existing decisions are included as suggestions, with the reviewer as agent. Raises InputError.
    """
    with replacing(file) as stream:
        json.dump([_record(item) for item in items], stream, ensure_ascii=False, indent=1)
    with replacing(file.with_name(f"{file.stem}-settings.json")) as stream:
        json.dump(_settings(), stream, ensure_ascii=False, indent=1)
    return len(items)


def _record(item: SheetItem) -> dict[str, Any]:
    words = {control(name): word for name, word in sheet_words(item).items()}
    fields = {name: words[name] for name in _FIELDS} | ({PICTURE: item.picture} if item.picture else {})
    agent = item.state.deciding.reviewer if item.state.deciding else ""
    suggestions = {
        control(name): {"value": word, "score": None, "agent": agent} for name, word in deciding_words(item).items()
    }
    about = {"version": words["version"], "sample": item.sample.id, "hop": item.question.hop}
    record = {"id": words["id"], "fields": fields, "metadata": about, "suggestions": suggestions}
    return record | {"responses": {}, "vectors": {}}


def _settings() -> dict[str, Any]:
    texts = {name: _COLUMNS[name].capitalize() for name in TEXTS}
    return {
        "guidelines": "Look at the picture, the question and its answer; decide, and say what is wrong.",
        "fields": [
            *({"name": name, "title": name, "required": False, "settings": {"type": "text"}} for name in _FIELDS),
            {"name": PICTURE, "title": PICTURE, "required": False, "settings": {"type": "image"}},
        ],
        "questions": [
            _choice(
                "verdict",
                "What should happen to the question?",
                [word for word in VERDICTS if word != "undo"],
                required=True,
            ),
            *(_choice(name, asked, OPINIONS, HELPS[name]) for name, asked in ASKED.items()),
            *(
                {"name": name, "title": title, "required": False, "settings": {"type": "text"}}
                for name, title in texts.items()
            ),
        ],
        "metadata": [
            {"name": "version", "title": "version", "settings": {"type": "terms"}},
            {"name": "sample", "title": "sample", "settings": {"type": "terms"}},
            {"name": "hop", "title": "hop", "settings": {"type": "integer"}},
        ],
        "allow_extra_metadata": False,
    }


def _choice(name: str, title: str, words: Any, about: str | None = None, *, required: bool = False) -> dict[str, Any]:
    options = [{"value": word, "text": word, "description": None} for word in words]
    settings = {"type": "label_selection", "options": options}
    return {"name": name, "title": title, "description": about, "required": required, "settings": settings}


def read_argilla(file: Path, reviewer: str = "") -> list[Given]:
    """Read the decisions in records (JSON), one per user and record.

    Pending records and responses without a verdict are skipped: they are drafts or discarded, as Argilla requires a
    verdict with each submission and responses do not contain their status. A user is named by ``reviewer``, or else by
    the beginning of the user id. Raises DatasetError with file, item and field.
    """
    return require_given(file, _decisions(file, reviewer))


def _decisions(file: Path, reviewer: str) -> Iterator[Given]:
    for record in open_source(file).records():
        if not record.fields.get("responses") or record.fields.get("status") == "pending":
            continue
        about = Record(record.file, record.fields.get("metadata") or {}, record.line, record.item)
        for user, words in _by_user(record).items():
            named = reviewer or (f"user {user[:8]}" if user else "")
            if "verdict" in words:
                yield given_review(record, record.text("id"), about.optional("version"), named, words)


def _by_user(record: Record) -> dict[str, dict[str, str]]:
    by_user: dict[str, dict[str, str]] = defaultdict(dict)
    responses = Record(record.file, mapping_in(record, "responses"), record.line, record.item)
    for name in responses.fields:
        for response in list_in(responses, name):
            if name not in _COLUMNS:
                raise record.error(f"'responses' has {name!r}, which is not a column; use the exported settings")
            if response.get("value") is not None:
                by_user[str(response.get("user_id") or "")][_COLUMNS[name]] = str(response["value"])
    return by_user
