"""The folder of a version of a release: lines of questions, pictures, hashes, Croissant, datasheet and citation."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.export.demands import NOT_STATED, read_statements, stated_fields
from kbe_graph.export.hugging_face import croissant
from kbe_graph.export.jsonl import record
from kbe_graph.export.release import MARK, README, ReleaseItem, licences
from kbe_graph.facts.pack import pack
from kbe_graph.files.opening import sha256_of
from kbe_graph.files.whole import replacing_folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.release.contents import hash_of
from kbe_graph.review.state import first_version
from kbe_graph.types import ReleasedQuestion, ReleaseRecord
from kbe_graph.web.pages import page_templates

FORMAT = "kbe release 1"
CHECKSUM = "release.sha256"
MADE = ("seed", "settings", "families", "versions", "parser", "graphs", "started", "ended")
"""What a run's manifest says of how its questions were made."""
COLUMNS = {
    **dict.fromkeys(("id", "sample", "benchmark", "kind", "image", "question", "answer"), "string"),
    **dict.fromkeys(("aliases", "options"), "list"),
    **dict.fromkeys(("licence", "status", "reason", "hash", "canary"), "string"),
    **dict.fromkeys(("hop", "form"), "int64"),
}
"""The columns of the lines that Croissant describes, with their types."""
Row = dict[str, Any]


class PackedItem(NamedTuple):
    """A question to be released: its item with the pictures, its line, and what the release says of it."""

    item: ReleaseItem
    row: Row
    released: ReleasedQuestion


def row_of(item: ReleaseItem, options: Sequence[str]) -> Row:
    """Build the line of a question, without what the release says of it."""
    pictures = {f"images/{each.name}": hashlib.sha256(each.read()).hexdigest() for each in item.pictures}
    return record(item.sample, item.question) | {
        "id": first_version(item.question.id),
        "image": next(iter(pictures), ""),
        "options": list(options),
        "pictures": pictures,
        "licence": item.licence,
        "dates": {step.source: source_date(step.source) for step in item.question.key},
        "provenance": asdict(item.question.provenance),
        "origin": item.origin,
    }


@cache
def _dates() -> Mapping[str, str]:
    return {fact.source: f"{fact.source_version}, {fact.source_date}".strip(", ") for fact in pack().facts}


def source_date(source: str) -> str:
    """Return the version and date of a packaged knowledge source, or that it states none."""
    return _dates().get(source) or NOT_STATED


def head_of(access: GraphAccess, release: ReleaseRecord) -> Row:
    """Build what ``release.json`` says of a version as a whole: its run, and how the run was made and checked."""
    manifest = access.folder.read_manifest(release.run)
    head = {"format": FORMAT, "id": release.id} | asdict(release)
    del head["digest"]  # it is of these
    made = {name: manifest[name] for name in MADE if name in manifest}
    stated = read_statements(access.folder.config, release.name)
    return head | {"made": made, "checks": access.store.status(release.run)["runs"][release.run], "stated": stated}


def write_version(folder: Path, head: Row, items: Sequence[PackedItem], others: Sequence[ReleasedQuestion]) -> str:
    """Write a version's folder whole, and return the SHA-256 of its ``release.json``.

    ``head`` is what ``release.json`` says of the whole; ``others`` are the questions withdrawn. Raises InputError if
    the folder holds another release.
    """
    forms = defaultdict(list)
    for each in items:
        forms[f"form-{each.released.form}"].append(each)
    questions = {each.question: _marks(each) for each in others}
    with replacing_folder(folder, MARK) as part:
        if (folder / MARK).exists() and head["canary"].encode() not in (folder / MARK).read_bytes():
            raise InputError(f"{str(folder)!r} holds another release or export, which stays; name a new folder")
        for name, own in forms.items():
            questions |= _write_lines(part / f"{name}.jsonl", own, head["canary"])
        for name, text in _documents(part, head, items, others).items():
            (part / name).write_text(text, encoding="utf-8")
        files = [file for file in sorted(part.rglob("*")) if file.is_file()]
        hashes = {file.relative_to(part).as_posix(): sha256_of(file) for file in files}
        content = json.dumps(head | {"files": hashes, "questions": questions}, ensure_ascii=False, indent=1) + "\n"
        (part / MARK).write_text(content, encoding="utf-8")
        digest = sha256_of(part / MARK)
        (part / CHECKSUM).write_text(checksum_of(digest), encoding="utf-8")
    return digest


def checksum_of(digest: str) -> str:
    """Return what ``release.sha256`` holds, as the program ``sha256sum`` reads it."""
    return f"{digest}  {MARK}\n"


def _write_lines(file: Path, items: Sequence[PackedItem], canary: str) -> dict[str, Row]:
    """Write the lines and pictures of questions, and return what ``release.json`` says of each."""
    marks = {}
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        for item, row, released in items:
            for picture in item.pictures:
                picture.place(file.parent / "images", "copy")
            line = json.dumps(row | _marks(released) | {"canary": canary}, ensure_ascii=False) + "\n"
            stream.write(line)
            places = {"file": file.name, "line": hash_of(line), "pictures": [*row["pictures"]]}
            marks[released.question] = _marks(released) | places
    return marks


def _marks(released: ReleasedQuestion) -> Row:
    """Return what a release says of a question, without its content."""
    return {name: getattr(released, name) for name in ("status", "reason", "hash", "form", "mini")}


def _documents(
    folder: Path, head: Row, items: Sequence[PackedItem], others: Sequence[ReleasedQuestion]
) -> dict[str, str]:
    """Write the datasheet, the citation and the description in Croissant of a folder whose lines are written."""
    forms = dict(sorted(Counter(f"form-{each.released.form}" for each in items).items()))
    values = head | {
        "forms": forms,
        "count": len(items),
        "pictures": len({name for each in items for name in each.row["pictures"]}),
        "benchmarks": sorted({each.item.sample.benchmark for each in items}),
        "statuses": Counter([each.released.status for each in items] + [each.status for each in others]),
        "sources": Counter(step.source for each in items for step in each.item.question.key),
        "makers": Counter(each.item.question.provenance.maker for each in items),
        "source_date": source_date,
        "licences": licences(),
    }
    description = {
        "name": head["name"],
        "description": f"Visual questions of run {head['run']}. {head['canary']}",
        "version": f"{head['version']}.0.0",
        "url": f"urn:uuid:{head['canary'].rpartition(' ')[2]}",
        "citeAs": "see CITATION.cff",
        "datePublished": head["created"],
        "rai:hasSyntheticData": "yes: rules or models made the questions; the pictures are the benchmark's",
    } | stated_fields(head["stated"])
    tables = {form: f"{form}.jsonl" for form in forms}
    described = croissant(folder, description, tables, COLUMNS, "application/jsonlines")
    templates = page_templates("kbe_graph.release")
    texts = {name: templates.get_template(name).render(values) for name in (README, "CITATION.cff")}
    return {"croissant.json": json.dumps(described, indent=2, ensure_ascii=False), **texts}
