"""Conversion of values to nodes and back.

Ids: an entity is ``sample id|entity key``; a candidate or an inspection is ``question id|position``; a guess is
``question id|run|position``; predictions and forms define their own.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple, get_args

from kbe_graph.store.row_check import (
    LIST_OR_NONE,
    NUMBER_OR_NONE,
    TEXT_OR_NONE,
    Row,
    Types,
    check_row,
    checked_values,
    parse_field,
    parse_pairs,
    refuse_row,
    typed,
)
from kbe_graph.text import fold
from kbe_graph.types import (
    FORMS,
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
    QuestionForm,
    QuestionVariant,
    RunRecord,
    Sample,
    VariantStatus,
    Vote,
)

SAMPLE: Types = {
    **typed("id benchmark split question answer status"),
    **typed("image image_id choice replaced reason detail", TEXT_OR_NONE),
    **typed("answers choices rationales fact more_images", LIST_OR_NONE),
}
QUESTION: Types = {
    **typed("id sample run kind text answer concept parent status reason provenance"),
    "hop": int,
    "aliases": LIST_OR_NONE,
}
RUN: Types = typed("name seed settings status")
_PLACE: Types = {**typed("question sample run"), **typed("hop position", int)}
CANDIDATE: Types = {**typed("relation object object_id status"), **_PLACE}
INSPECTION: Types = {**typed("text answer model prompt call"), **dict.fromkeys(VERDICTS, bool), **_PLACE}
GUESS: Types = {**typed("text answer guess model prompt call kind"), "right": bool, **_PLACE}
ALTERNATIVE: Types = {"position": int, **typed("root answer")}
ANSWERED: Types = {
    **typed("id text variant asked verdict judge"),
    "run": int,
    "tokens": NUMBER_OR_NONE,
    "votes": LIST_OR_NONE,
    **typed("reply read_by", TEXT_OR_NONE),
    "other_verdicts": LIST_OR_NONE,
}
VARIANT: Types = {**typed("id operation recipe text image status reason"), "seed": int}
FORM: Types = {**typed("id form text maker"), **typed("options answers facts", LIST_OR_NONE)}


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A fact considered for a question, and the decision about it.

    ``status`` is kept, dropped or not drawn. ``faulty`` says whether the resulting question would fail a check (None:
    not measured). If a model proposed the fact, ``type`` is the object's type and ``grounding`` the verdict of known
    facts (grounded, contradicted or unsupported).
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


@dataclass(frozen=True, slots=True)
class StoredCandidate(CandidateRow):
    """A candidate with its question, sample, run and hop, and its position among the question's candidates."""

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


def node_row(id_: str, properties: Row) -> Row:
    """Return a row for the statements that save nodes."""
    return {"id": id_, "properties": properties}


def sample_row(sample: Sample) -> Row:
    """Convert a sample to a node, without its status."""
    properties = field_properties(sample, (field.name for field in fields(sample)))
    return node_row(sample.id, properties | {"fact": list(sample.fact or ())})


def sample_of(row: Mapping[str, Any]) -> Sample:
    """Build a Sample from its node."""
    values = checked_values("sample", row, SAMPLE)
    return Sample(**{field.name: values[field.name] for field in fields(Sample)} | {"fact": values["fact"] or None})


def status_of(row: Mapping[str, Any]) -> SampleStatus:
    """Read the status of a sample from its node."""
    values = checked_values("sample", row, SAMPLE)
    return SampleStatus(values["status"], values["reason"], values["detail"], extraction_of(row))


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
    properties = field_properties(question, QUESTION.keys() - {"id", "provenance"}) | {
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


def question_of(row: Mapping[str, Any], key: Any) -> Question:
    """Build a Question from its node and its key subgraph."""
    values = checked_values("question", row, QUESTION)
    provenance = parse_field("question", row, "provenance")
    try:
        made = Provenance(**{**provenance, "calls": tuple(provenance["calls"])})
    except (TypeError, KeyError):
        refuse_row("question", row["id"], "provenance", row["provenance"])
    return Question(**values | {"key": key, "provenance": made})


def candidate_rows(evolved: Evolved) -> list[Row]:
    """Convert a question's candidates to nodes, numbered in order."""
    properties = (field_properties(candidate, CandidateRow.__slots__) for candidate in evolved.candidates)
    return _numbered_rows(evolved.question, properties, digits=5)


def candidate_of(row: Mapping[str, Any]) -> StoredCandidate:
    """Build a candidate from its node."""
    check_row("candidate", row, CANDIDATE)
    return StoredCandidate(**{field.name: row[field.name] for field in fields(StoredCandidate) if field.name in row})


def inspection_rows(evolved: Evolved) -> list[Row]:
    """Convert a question's inspections to nodes, numbered in the order of the requests."""
    return _numbered_rows(evolved.question, map(_inspection_properties, evolved.inspections), digits=2)


def _inspection_properties(inspection: Inspection) -> Row:
    verdicts = {verdict: verdict in inspection.yes for verdict in VERDICTS}
    return verdicts | field_properties(inspection, ("text", "answer", "model", "prompt", "call"))


def inspection_of(row: Mapping[str, Any]) -> StoredInspection:
    """Build an inspection from its node."""
    values = checked_values("inspection", row, INSPECTION)
    yes = tuple(verdict for verdict in VERDICTS if values.pop(verdict))
    return StoredInspection(yes=yes, **values)


def guess_rows(question: Question, run: str, guesses: Sequence[Guess]) -> list[Row]:
    """Convert a run's guesses at a question to nodes, numbered in the order of the requests."""
    about = {"question": question.id, "sample": question.sample, "run": run, "hop": question.hop, "kind": question.kind}
    return [
        node_row(
            f"{question.id}|{run}|{number:02}", field_properties(guess, Guess.__slots__) | about | {"position": number}
        )
        for number, guess in enumerate(guesses)
    ]


def guess_of(row: Mapping[str, Any]) -> StoredGuess:
    """Build a guess from its node."""
    return StoredGuess(**checked_values("guess", row, GUESS))


def alternatives_of(question: str, edges: Iterable[Sequence[Any]]) -> tuple[Alternative, ...]:
    """Build the alternatives of a question, in order, from the edges that ``alternatives`` returns."""
    rows = [dict(zip(ALTERNATIVE, edge, strict=True), question=question) for edge in edges]
    checked = [check_row("alternative of question", row, ALTERNATIVE, name="question") for row in rows]
    return tuple(
        Alternative(row["root"], row["answer"]) for row in sorted(checked, key=lambda row: int(row["position"]))
    )


def _numbered_rows(question: Question, properties: Iterable[Row], *, digits: int) -> list[Row]:
    about = {"question": question.id, "sample": question.sample, "run": question.run, "hop": question.hop}
    return [
        node_row(f"{question.id}|{number:0{digits}}", own | about | {"position": number})
        for number, own in enumerate(properties)
    ]


def run_row(run: RunRecord) -> Row:
    """Convert a run to a node; its settings are stored as JSON."""
    settings = json.dumps(run.settings, ensure_ascii=False)
    return node_row(run.name, {"seed": str(run.seed), "settings": settings, "status": run.state})


def run_of(row: Mapping[str, Any]) -> RunRecord:
    """Build a RunRecord from its node."""
    check_row("run", row, RUN, name="name")
    if not row["seed"].removeprefix("-").isdecimal():
        refuse_row("run", row["name"], "seed", row["seed"])
    return RunRecord(row["name"], int(row["seed"]), parse_pairs("run", row, "settings", name="name"), row["status"])


_VOTES = ("votes", "other_verdicts")  # stored as text: ``judge: verdict``


def prediction_row(prediction: Prediction) -> Row:
    """Convert a prediction to the edge from its model to its question."""
    properties = field_properties(prediction, ANSWERED.keys() - {"id", *_VOTES})
    for name in _VOTES:
        properties[name] = [f"{vote.judge}: {vote.verdict}" for vote in getattr(prediction, name)]
    return node_row(prediction.id, properties) | {"subject": prediction.model, "object": prediction.question}


def prediction_of(row: Mapping[str, Any]) -> Prediction:
    """Build a Prediction from a row with its ANSWERED edge, ``model`` and ``question``."""
    answered = row["answered"]
    values = checked_values("answer", answered, ANSWERED) | {"model": row["model"], "question": row["question"]}
    for name in _VOTES:
        values[name] = tuple(_vote(answered, name, text) for text in values[name])
    del values["id"]
    return Prediction(**values)


def _vote(answered: Mapping[str, Any], name: str, text: str) -> Vote:
    judge, _, verdict = text.rpartition(": ")
    if verdict not in {"right", "wrong"}:
        refuse_row("answer", answered["id"], name, text)
    return Vote(judge, "right" if verdict == "right" else "wrong")


def form_row(form: QuestionForm) -> Row:
    """Convert a form of a question to a node."""
    return node_row(form.id, field_properties(form, FORM.keys() - {"id"}))


def form_of(row: Mapping[str, Any]) -> QuestionForm:
    """Build a QuestionForm from a row with its node and the id of its ``question``."""
    values = checked_values("form", row["form"], FORM)
    id_ = values.pop("id")
    if values["form"] not in FORMS:
        refuse_row("form", id_, "form", values["form"])
    return QuestionForm(row["question"], **values)


def variant_row(variant: QuestionVariant) -> Row:
    """Convert a perturbed question to a node."""
    return node_row(variant.id, field_properties(variant, VARIANT.keys() - {"id"}))


def answer_key(variant: QuestionVariant) -> Row:
    """Return the row that identifies the answers to a perturbed question, with its current text, image and status."""
    row = {"id": variant.id, "object": variant.question, "operation": variant.operation, "run": variant.run}
    return row | {"text": variant.text, "image": variant.image, "status": variant.status}


def variant_of(row: Mapping[str, Any]) -> QuestionVariant:
    """Build a QuestionVariant from a row with its node and the id of its ``question``."""
    values = checked_values("variant", row["variant"], VARIANT)
    id_ = values.pop("id")
    if values["status"] not in get_args(VariantStatus):
        refuse_row("variant", id_, "status", values["status"])
    return QuestionVariant(row["question"], **values)


def field_properties(value: object, names: Iterable[str]) -> Row:
    """Return the named fields of a value as properties, with tuples as lists."""
    properties = {name: getattr(value, name) for name in names}
    return {name: list(field) if isinstance(field, tuple) else field for name, field in properties.items()}
