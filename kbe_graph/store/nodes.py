"""Samples, questions and what belongs to questions as nodes, and back.

Ids: an entity is ``sample id|entity key``; a candidate or an inspection is ``question id|position``; a guess is
``question id|run|position``; predictions and forms define their own.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Literal, NamedTuple, NoReturn, TypeVar, get_args, get_origin, get_type_hints

from kbe_graph.brief import brief
from kbe_graph.errors import StoreError
from kbe_graph.text import fold
from kbe_graph.types import (
    VERDICTS,
    Alternative,
    Entity,
    Extraction,
    Guess,
    Inspection,
    Kind,
    Prediction,
    Provenance,
    Question,
    RunRecord,
    Sample,
    Triplet,
)

Row = dict[str, Any]
Value = TypeVar("Value")


def node_row(id_: str, properties: Row) -> Row:
    """Return a row for the statements that save nodes."""
    return {"id": id_, "properties": properties}


def links(rows: Iterable[Row], name: str = "question") -> list[Row]:
    """Return the edges from nodes (as rows) to the node that a property of theirs names."""
    return [{"subject": row["id"], "object": row["properties"][name]} for row in rows]


def properties_of(value: object, *without: str) -> Row:
    """Return the fields of a value but the named ones as properties, with tuples as lists, pairs as ``key: value``."""
    names = _fields(type(value))  # type: ignore[arg-type] # a class has a hash
    properties = {name: getattr(value, name) for name, _ in names if name not in without}
    return {name: [*map(_item, field)] if isinstance(field, tuple) else field for name, field in properties.items()}


def _item(item: Any) -> Any:
    return ": ".join(item) if isinstance(item, tuple) else item


def value_of(kind: type[Value], what: str, row: Mapping[str, Any], **given: Any) -> Value:
    """Build a value from properties; ``given`` are the fields that are not read from them.

    A property that is missing has the field's default. Raises StoreError, naming ``what``, the row and the field, for a
    value that this program does not write.
    """
    hints = _hints(kind)  # type: ignore[arg-type] # a class has a hash
    names = _fields(kind)  # type: ignore[arg-type]
    values = {name: _checked(what, row, name, hints[name], default) for name, default in names if name not in given}
    return kind(**given, **values)


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


@cache
def _fields(kind: type) -> tuple[tuple[str, Any], ...]:
    """Return the fields of a class, each with its default, or MISSING."""
    if is_dataclass(kind):
        return tuple((field.name, field.default) for field in fields(kind))
    defaults = kind._field_defaults  # type: ignore[attr-defined] # a named tuple
    return tuple((name, defaults.get(name, MISSING)) for name in kind._fields)  # type: ignore[attr-defined]


def _checked(what: str, row: Mapping[str, Any], name: str, hint: Any, default: Any) -> Any:
    value, origin = row.get(name), get_origin(hint)
    if origin is Literal:
        fits = value in get_args(hint)
    elif value is None and default is not MISSING:
        return default
    elif origin is tuple:
        fits = value is None or isinstance(value, list)
        value = _tuple_of(get_args(hint)[0], value or ()) if fits else value
    else:
        fits = isinstance(value, (int, float) if hint is float else hint)
    if not fits:
        refuse_row(what, row.get("id"), name, value)
    return value


def _tuple_of(kind: Any, items: Iterable[Any]) -> tuple[Any, ...]:
    if get_origin(kind) is not tuple and not issubclass(kind, tuple):
        return tuple(items)
    pairs = (str(item).rpartition(": ")[::2] for item in items)
    return tuple(pairs if get_origin(kind) is tuple else map(kind._make, pairs))


def parse_field(what: str, row: Mapping[str, Any], field: str, *, name: str = "id") -> Any:
    """Decode a JSON field; raises StoreError as ``value_of`` does."""
    try:
        return json.loads(row[field])
    except (ValueError, RecursionError):
        refuse_row(what, row.get(name), field, row[field])


def parse_pairs(what: str, row: Mapping[str, Any], field: str, *, name: str) -> tuple[tuple[str, str], ...]:
    """Decode a JSON field of string pairs; raises StoreError as ``value_of`` does."""
    try:
        return tuple((str(key), str(value)) for key, value in parse_field(what, row, field, name=name))
    except (TypeError, ValueError):
        refuse_row(what, row.get(name), field, row[field])


def refuse_row(what: str, id_: object, field: str, value: object) -> NoReturn:
    """Raise StoreError for a value that this program does not write."""
    raise StoreError(
        f"the {what} {id_!r} in the graph has a {field!r} that this program does not write ({str(value)[:60]!r}): "
        "another program changed the graph; restore a backup with `restore` and `replace`"
    )


@brief("question subject relation object status reason")
@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A fact considered for a question, and the decision about it.

    ``status`` is kept, dropped or not drawn. ``faulty`` says whether the resulting question would fail a check (None:
    not measured). If a model proposed the fact, ``type`` is the object's type and ``grounding`` the verdict of known
    facts (grounded, contradicted or unsupported). ``position`` is its place among the candidates of ``question``; this
    and what it belongs to are known once it is stored.
    """

    relation: str
    object: str
    object_id: str
    status: str
    reason: str = ""
    detail: str = ""
    source: str = ""
    source_ref: str = ""
    faulty: bool | None = None
    subject: str = ""
    type: str = ""
    grounding: str = ""
    question: str = ""
    sample: str = ""
    run: str = ""
    hop: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True)
class StoredInspection(Inspection):
    """An inspection with its question, sample, run and hop, and its position among the question's inspections."""

    question: str = ""
    sample: str = ""
    run: str = ""
    hop: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True)
class StoredGuess(Guess):
    """A guess with its question, the question's sample, hop and kind, the run that made it, and its position."""

    question: str = ""
    sample: str = ""
    run: str = ""
    hop: int = 0
    kind: Kind = "explored"
    position: int = 0


class Evolved(NamedTuple):
    """A question of a run with its candidates, inspections, guesses and alternatives, saved in one transaction."""

    question: Question
    candidates: tuple[CandidateRow, ...] = ()
    inspections: tuple[Inspection, ...] = ()
    guesses: tuple[Guess, ...] = ()
    alternatives: tuple[Alternative, ...] = ()


class SampleStatus(NamedTuple):
    """The state of a sample (loaded, extracted, or dropped with a reason) and its extraction."""

    status: str
    reason: str = ""
    detail: str = ""
    extraction: Extraction = Extraction()


def sample_of(row: Mapping[str, Any]) -> Sample:
    """Build a Sample from its node."""
    return value_of(Sample, "sample", row, fact=tuple(row.get("fact") or ()) or None)


def extraction_properties(extraction: Extraction) -> Row:
    """Return the node properties of a sample's extraction; the files are stored as JSON."""
    return {
        "extracted_by": extraction.by,
        "parser": extraction.parser,
        "kbe_version": extraction.version,
        "prompt": extraction.prompt,
        "annotations": json.dumps(extraction.files, ensure_ascii=False) if extraction.files else "",
    }


def extraction_of(row: Mapping[str, Any]) -> Extraction:
    """Read the extraction of a sample from its node."""
    files = parse_pairs("extraction", row, "annotations", name="extracted_by") if row.get("annotations") else ()
    by, parser, version, prompt = (row.get(name) or "" for name in ("extracted_by", "parser", "kbe_version", "prompt"))
    return Extraction(by, parser, version, files, prompt)


def entity_id(sample: str, entity: Entity) -> str:
    """Return the id of an entity's node."""
    return f"{sample}|{entity.key}"


def question_row(question: Question) -> Row:
    """Convert a question to a node; ``end`` is the entity at the end of its key."""
    properties = properties_of(question, "id", "key", "provenance") | {
        "answer_term": fold(question.answer),
        "difficulty": question.difficulty,
        "end": entity_id(question.sample, question.end) if question.key else "",
        "noun": bool(question.key) and question.end.noun,
        "maker": question.provenance.maker,
        "pattern": question.provenance.pattern,
        # a seed may exceed the graph's 64-bit integers
        "provenance": json.dumps(asdict(question.provenance), ensure_ascii=False, sort_keys=True),
    }
    return node_row(question.id, properties)


def question_of(row: Mapping[str, Any], key: tuple[Triplet, ...]) -> Question:
    """Build a Question from its node and its key subgraph."""
    provenance = parse_field("question", row, "provenance")
    try:
        made = Provenance(**{**provenance, "calls": tuple(provenance["calls"])})
    except (TypeError, KeyError):
        refuse_row("question", row["id"], "provenance", row["provenance"])
    return value_of(Question, "question", row, key=key, provenance=made)


def candidate_rows(evolved: Evolved) -> list[Row]:
    """Convert a question's candidates to nodes, numbered in order."""
    return _numbered(evolved.question, map(properties_of, evolved.candidates), digits=5)


def inspection_rows(evolved: Evolved) -> list[Row]:
    """Convert a question's inspections to nodes, numbered in the order of the requests."""
    rows = (
        {verdict: verdict in each.yes for verdict in VERDICTS} | properties_of(each, "yes")
        for each in evolved.inspections
    )
    return _numbered(evolved.question, rows, digits=2)


def inspection_of(row: Mapping[str, Any]) -> StoredInspection:
    """Build an inspection from its node."""
    for verdict in VERDICTS:
        if not isinstance(row.get(verdict), bool):
            refuse_row("inspection", row.get("id"), verdict, row.get(verdict))
    return value_of(StoredInspection, "inspection", row, yes=tuple(verdict for verdict in VERDICTS if row[verdict]))


def _numbered(question: Question, properties: Iterable[Row], *, digits: int) -> list[Row]:
    about = {"question": question.id, "sample": question.sample, "run": question.run, "hop": question.hop}
    return [
        node_row(f"{question.id}|{number:0{digits}}", own | about | {"position": number})
        for number, own in enumerate(properties)
    ]


def guess_rows(question: Question, run: str, guesses: Sequence[Guess]) -> list[Row]:
    """Convert a run's guesses at a question to nodes, numbered in the order of the requests."""
    about = {"question": question.id, "sample": question.sample, "run": run, "hop": question.hop, "kind": question.kind}
    return [
        node_row(f"{question.id}|{run}|{number:02}", properties_of(guess) | about | {"position": number})
        for number, guess in enumerate(guesses)
    ]


def alternatives_of(question: str, edges: Iterable[Sequence[Any]]) -> tuple[Alternative, ...]:
    """Build the alternatives of a question, in order, from the edges that ``alternatives`` returns."""
    rows = [{"id": question, "position": place, "root": root, "answer": answer} for place, root, answer in edges]
    ordered = sorted(rows, key=lambda row: str(row["position"]).zfill(2))
    return tuple(value_of(Alternative, "alternative of question", row) for row in ordered)


def run_row(run: RunRecord) -> Row:
    """Convert a run to a node; its settings are stored as JSON."""
    settings = json.dumps(run.settings, ensure_ascii=False)
    return node_row(run.name, {"seed": str(run.seed), "settings": settings, "status": run.state})


def run_of(row: Mapping[str, Any]) -> RunRecord:
    """Build a RunRecord from its node."""
    if not str(row["seed"]).removeprefix("-").isdecimal():
        refuse_row("run", row["name"], "seed", row["seed"])
    return RunRecord(row["name"], int(row["seed"]), parse_pairs("run", row, "settings", name="name"), row["status"])


def prediction_row(prediction: Prediction) -> Row:
    """Convert a prediction to the edge from its model to its question."""
    ends = {"subject": prediction.model, "object": prediction.question}
    return node_row(prediction.id, properties_of(prediction, "model", "question")) | ends


def prediction_of(row: Mapping[str, Any]) -> Prediction:
    """Build a Prediction from a row with its ANSWERED edge, ``model`` and ``question``."""
    return value_of(Prediction, "answer", row["answered"], model=row["model"], question=row["question"])
