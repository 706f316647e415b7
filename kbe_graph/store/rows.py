"""Values as rows: what the statements of ``cypher/`` write and read.

Ids: entity = sample id, bar, entity key; edge = sample id, bar, triplet id (of an explored edge also @ run); key edge =
question id, bar, position; candidate and inspection = question id, bar, position.
"""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

from kbe_graph.english.entity_type import entity_type
from kbe_graph.store.row_check import QUESTION, RUN, SAMPLE, check_edge, check_row, parse_field, refuse_row
from kbe_graph.text import fold
from kbe_graph.types import (
    IMAGE,
    VERDICTS,
    Entity,
    Extraction,
    Graph,
    Inspection,
    Provenance,
    Question,
    RunRecord,
    Sample,
    SampleGraph,
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
    properties = asdict(sample)
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


def entity_rows(sample: str, triplets: Iterable[Triplet]) -> list[Row]:
    """Return the entities of the triplets, each once; of two that share a key the first one stays."""
    entities: dict[str, Entity] = {}
    for triplet in triplets:
        for entity in (triplet.subject, triplet.object):
            entities.setdefault(entity_id(sample, entity), entity)
    return [_entity_row(id_, sample, entity) for id_, entity in sorted(entities.items())]


def _entity_row(id_: str, sample: str, entity: Entity) -> Row:
    term = fold(entity.name)
    values = {"name": entity.name, "number": entity.number, "noun": entity.noun, "concept": entity.concept}
    values["type"] = entity_type(entity.name, entity.concept)
    return {"id": id_, "properties": {"sample": sample, "term": term, **values}}


def is_rows(entities: Sequence[Row]) -> list[Row]:
    """Return the edges from entities to their terms; the root IMAGE has none, as every sample would share it."""
    terms = [(row["id"], row["properties"]["term"], row["properties"]["name"]) for row in entities]
    return [{"subject": id_, "object": term} for id_, term, name in terms if name != "IMAGE"]


def edge_rows(sample: str, triplets: Iterable[Triplet]) -> list[Row]:
    """Return the hop-0 edges of one graph of a sample, each once, with their order."""
    rows: dict[str, Row] = {}
    for position, triplet in enumerate(triplets):
        id_ = f"{sample}|{triplet.id}"
        own = {
            "sample": sample,
            "hop": 0,
            "run": "",
            "question": "",
            "position": position,
            "draw": edge_draw(sample, triplet),
        }
        rows.setdefault(id_, _edge_row(id_, sample, triplet, own))
    return [rows[id_] for id_ in sorted(rows)]


def graph_row(graph: SampleGraph) -> Row:
    """Return a whole graph as one row, whose edges tell their ends by their place among the entities."""
    entities = entity_rows(graph.sample, (*graph.visual, *graph.textual))
    places = {row["id"]: place for place, row in enumerate(entities)}
    visual, textual = edge_rows(graph.sample, graph.visual), edge_rows(graph.sample, graph.textual)
    for row in (*visual, *textual):
        row["subject"], row["object"] = places[row["subject"]], places[row["object"]]
    return {
        "id": graph.sample,
        "roots": [place for id_, place in places.items() if id_ == entity_id(graph.sample, IMAGE)],
        "entities": entities,
        "links": [{**row, "subject": places[row["subject"]]} for row in is_rows(entities)],
        "visual": visual,
        "textual": textual,
    }


def edge_draw(sample: str, triplet: Triplet) -> int:
    """Return the number that a draw among paths goes by: another one where both graphs hold the same triplet."""
    id_ = f"{sample}|{triplet.id}"
    return zlib.crc32((id_ if triplet.graph == "visual" else f"{id_}|{triplet.graph}").encode())


def explored_rows(question: Question) -> list[Row]:
    """Return the triplets that hops added to a key as edges of its run; writing leaves out those of the own graph."""
    rows = []
    for position, triplet in enumerate(question.explored, start=len(question.root)):
        own = f"{question.sample}|{triplet.id}"
        about = {"sample": question.sample, "hop": question.hop, "run": question.run, "question": question.id}
        values = about | {"position": position}
        row = _edge_row(f"{own}@{question.run}", question.sample, triplet, values | {"draw": zlib.crc32(own.encode())})
        rows.append(row | {"own": own})
    return rows


def _edge_row(id_: str, sample: str, triplet: Triplet, own: Row) -> Row:
    return {
        "id": id_,
        "subject": entity_id(sample, triplet.subject),
        "object": entity_id(sample, triplet.object),
        "properties": own | _origin(triplet),
    }


def _origin(triplet: Triplet) -> Row:
    return {
        "relation": triplet.relation,
        "source": triplet.source,
        "source_ref": triplet.source_ref,
        "evidence": triplet.evidence,
    }


def key_rows(question: Question) -> list[Row]:
    """Return the key edges of a question, which carry the object as this question's run wrote it."""
    return [_key_row(question, position, triplet) for position, triplet in enumerate(question.key)]


def _key_row(question: Question, position: int, triplet: Triplet) -> Row:
    entity = triplet.object
    own = {
        "question": question.id,
        "sample": question.sample,
        "run": question.run,
        "hop": question.hop,
        "position": position,
        "graph": triplet.graph,
        "triplet": f"{question.sample}|{triplet.id}",
        "name": entity.name,
        "noun": entity.noun,
        "concept": entity.concept,
    }
    return _edge_row(f"{question.id}|{position:03}", question.sample, triplet, own)


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


def triplet_of(edge: Sequence[Any], subject: Entity | None = None) -> Triplet:
    """Return the triplet of an edge as ``graphs`` and ``keys`` give it, of this subject where it is given."""
    graph, _, relation, source, source_ref, evidence, *ends = edge
    kind: Graph = "visual" if graph == "visual" else "textual"
    first, last = subject or Entity(*ends[:4]), Entity(*ends[4:])
    return Triplet(first, relation, last, kind, source or "", source_ref or "", evidence or "")


def key_of(question: str, edges: Iterable[Sequence[Any]]) -> tuple[Triplet, ...]:
    """Return the key subgraph of a question, in order; beside each edge stand the ids of its subject and its object.

    A subject is the object of an earlier edge, where there is one: so an entity reads as the question's own run wrote
    it.
    """
    met: dict[str, Entity] = {}
    triplets = []
    checked = [(check_edge("key of question", question, edge), *ids) for edge, *ids in edges]
    for edge, subject, thing in sorted(checked, key=lambda row: int(row[0][1])):
        triplets.append(triplet_of(edge, met.get(subject)))
        met.setdefault(thing, triplets[-1].object)
    return tuple(triplets)
