"""Values as rows: what the statements of ``cypher/`` write and read.

Ids: entity = sample id, bar, entity key; edge = sample id, bar, triplet id (of an explored edge also @ run); key edge =
question id, bar, position; candidate and inspection = question id, bar, position.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

from kbe_graph.store.row_check import QUESTION, RUN, SAMPLE, check_row, parse_field, refuse_row
from kbe_graph.text import fold
from kbe_graph.types import (
    VERDICTS,
    Entity,
    Extraction,
    Inspection,
    Provenance,
    Question,
    RunRecord,
    Sample,
    Triplet,
)

Row = dict[str, Any]
EXTRACTED = ("extracted_by", "parser", "kbe_version", "prompt")
LISTS = ("answers", "choices", "rationales", "fact")
INSPECTION_TEXTS = ("text", "answer", "model", "prompt", "call")


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """What the graph keeps of a fact that was considered for a question.

    ``status`` is kept, dropped or not drawn; ``faulty`` says whether the question it would make fails a check; ``type``
    is the object's type and ``grounding`` what known facts say of it (grounded, contradicted, unsupported), where a
    model proposed it.
    """

    relation: str
    object: str
    object_id: str
    status: str
    reason: str = ""
    detail: str = ""
    source: str = ""
    source_ref: str = ""
    faulty: bool = False
    subject: str = ""
    type: str = ""
    grounding: str = ""


class Evolved(NamedTuple):
    """A question of a run with the candidates considered for it and what a second model said of it.

    They are written together or not at all.
    """

    question: Question
    candidates: tuple[CandidateRow, ...] = ()
    inspections: tuple[Inspection, ...] = ()


class CycleRow(NamedTuple):
    """One cycle check: whether an object of this folded name would close a cycle in the key of the question."""

    question: str
    sample: str
    object_key: str


def sample_properties(sample: Sample) -> Row:
    """Return what a Sample node says of a sample, its status left out."""
    properties = {field.name: getattr(sample, field.name) for field in fields(sample)}
    return properties | {name: list(properties[name] or ()) for name in LISTS}


def sample_of(properties: Mapping[str, Any]) -> Sample:
    """Return the sample that a Sample node keeps."""
    names = ("id", "benchmark", "split", "question", "answer", "image", "image_id")
    check_row("sample", properties, SAMPLE)
    texts: Row = {name: properties.get(name) or "" for name in names}
    lists = {name: tuple(properties.get(name) or ()) for name in LISTS}
    return Sample(
        **texts,
        **{**lists, "fact": lists["fact"] or None},  # type: ignore[arg-type]
    )


def extraction_properties(extraction: Extraction) -> Row:
    """Return what a Sample node says of the extraction of its graph; the files are kept as JSON."""
    values = {"extracted_by": extraction.by, "parser": extraction.parser, "kbe_version": extraction.version}
    values["prompt"] = extraction.prompt
    return values | {"annotations": json.dumps(extraction.files, ensure_ascii=False) if extraction.files else ""}


def extraction_of(row: Row) -> Extraction:
    """Return the extraction that Sample nodes tell of."""
    files = _pairs("extraction", row, "annotations", name="extracted_by") if row.get("annotations") else ()
    by, parser, version, prompt = (row.get(name) or "" for name in EXTRACTED)
    return Extraction(by, parser, version, files, prompt)


def entity_id(sample: str, entity: Entity) -> str:
    """Return the id of an entity's node."""
    return f"{sample}|{entity.key}"


def question_row(question: Question) -> Row:
    """Return the node of a question; ``end`` is the entity that its key leads to."""
    names = ("sample", "run", "hop", "kind", "text", "answer", "concept", "parent", "status", "reason")
    properties = {name: getattr(question, name) for name in names} | {
        "aliases": list(question.aliases),
        "answer_term": fold(question.answer),
        "difficulty": question.difficulty,
        "end": entity_id(question.sample, question.end) if question.key else "",
        "noun": bool(question.key) and question.end.noun,
        "maker": question.provenance.maker,
        "pattern": question.provenance.pattern,
        # a seed may not fit the 64 bits of a number in the graph
        "provenance": json.dumps(asdict(question.provenance), ensure_ascii=False, sort_keys=True),
    }
    return {"id": question.id, "properties": properties}


def candidate_rows(evolved: Evolved) -> list[Row]:
    """Return the candidates of a question, numbered in their order."""
    names = [field.name for field in fields(CandidateRow)]
    properties = ({name: getattr(candidate, name) for name in names} for candidate in evolved.candidates)
    return _numbered_rows(evolved.question, properties, digits=5)


def inspection_rows(evolved: Evolved) -> list[Row]:
    """Return what a second model said of a question, numbered in the order in which it was asked."""
    return _numbered_rows(evolved.question, map(_inspection_properties, evolved.inspections), digits=2)


def _inspection_properties(inspection: Inspection) -> Row:
    verdicts = {verdict: verdict in inspection.yes for verdict in VERDICTS}
    return verdicts | {name: getattr(inspection, name) for name in INSPECTION_TEXTS}


def _numbered_rows(question: Question, properties: Iterable[Row], *, digits: int) -> list[Row]:
    """Return the nodes of what is kept about a question, which tell their place in it."""
    about = {"question": question.id, "sample": question.sample, "run": question.run, "hop": question.hop}
    return [
        {"id": f"{question.id}|{number:0{digits}}", "properties": own | about | {"position": number}}
        for number, own in enumerate(properties)
    ]


def run_row(run: RunRecord) -> Row:
    """Return the node of a run; its settings are kept as text."""
    settings = json.dumps(run.settings, ensure_ascii=False)
    return {"id": run.name, "properties": {"seed": str(run.seed), "settings": settings, "status": run.state}}


def run_of(row: Row) -> RunRecord:
    """Return the run that a Run node keeps."""
    check_row("run", row, RUN, name="name")
    if not row["seed"].removeprefix("-").isdecimal():
        refuse_row("run", row["name"], "seed", row["seed"])
    settings = _pairs("run", row, "settings", name="name")
    return RunRecord(row["name"], int(row["seed"]), settings, row["status"])


def _pairs(what: str, row: Row, field: str, *, name: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of texts that a field holds as JSON."""
    try:
        return tuple((str(key), str(value)) for key, value in parse_field(what, row, field, name=name))
    except (TypeError, ValueError):
        refuse_row(what, row.get(name), field, row[field])


def question_of(properties: Mapping[str, Any], key: tuple[Triplet, ...]) -> Question:
    """Return the question that a Question node keeps, with its key subgraph."""
    names = ("id", "sample", "run", "hop", "kind", "text", "answer", "concept", "parent", "status", "reason")
    check_row("question", properties, QUESTION)
    return Question(
        **{name: properties[name] for name in names},
        key=key,
        aliases=tuple(properties.get("aliases") or ()),
        provenance=_provenance(properties),
    )


def _provenance(properties: Mapping[str, Any]) -> Provenance:
    values = parse_field("question", properties, "provenance")
    try:
        return Provenance(**{**values, "calls": tuple(values["calls"])})
    except (TypeError, KeyError):
        refuse_row("question", properties["id"], "provenance", properties["provenance"])
