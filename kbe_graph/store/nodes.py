"""Values as nodes: the properties that the graph keeps of each value, and the value that they give back.

Ids: entity = sample id, bar, entity key; candidate and inspection = question id, bar, position; guess = question id,
bar, run, bar, position; prediction and form as the value says.
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
    """A fact considered for a question, and the decision on it.

    ``status`` is kept, dropped or not drawn; ``faulty`` says whether the question it would make fails a check, None
    where nobody measured it; ``type`` is the object's type and ``grounding`` the verdict of known facts (grounded,
    contradicted, unsupported), where a model proposed it.
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
    """A candidate with its question, sample, run and hop, and its place among all candidates of the question."""

    question: str = ""
    sample: str = ""
    run: str = ""
    hop: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True)
class StoredInspection(Inspection):
    """An inspection with its question, sample, run and hop, and its place among all inspections of the question."""

    question: str = ""
    sample: str = ""
    run: str = ""
    hop: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True)
class StoredGuess(Guess):
    """A guess with its question, that one's sample, hop and kind, the run that asked it, and its place among them."""

    question: str = ""
    sample: str = ""
    run: str = ""
    hop: int = 0
    kind: Kind = "explored"
    position: int = 0


class Evolved(NamedTuple):
    """A question of a run with all that was said of it; it is written together or not at all."""

    question: Question
    candidates: tuple[CandidateRow, ...] = ()
    inspections: tuple[Inspection, ...] = ()
    guesses: tuple[Guess, ...] = ()
    alternatives: tuple[Alternative, ...] = ()


class SampleStatus(NamedTuple):
    """The state of a sample (loaded, extracted, or dropped with its reason), and its extraction."""

    status: str
    reason: str = ""
    detail: str = ""
    extraction: Extraction = Extraction()


def node_row(id_: str, properties: Row) -> Row:
    """Return a row of the statements that save nodes."""
    return {"id": id_, "properties": properties}


def sample_row(sample: Sample) -> Row:
    """Return the node of a sample, without its status."""
    properties = field_properties(sample, (field.name for field in fields(sample)))
    return node_row(sample.id, properties | {"fact": list(sample.fact or ())})


def sample_of(row: Mapping[str, Any]) -> Sample:
    """Return the sample of a Sample node."""
    values = checked_values("sample", row, SAMPLE)
    return Sample(**{field.name: values[field.name] for field in fields(Sample)} | {"fact": values["fact"] or None})


def status_of(row: Mapping[str, Any]) -> SampleStatus:
    """Return the status of a Sample node."""
    values = checked_values("sample", row, SAMPLE)
    return SampleStatus(values["status"], values["reason"], values["detail"], extraction_of(row))


def extraction_properties(extraction: Extraction) -> Row:
    """Return the properties of a Sample node that tell its extraction; the files are kept as JSON."""
    return {
        "extracted_by": extraction.by,
        "parser": extraction.parser,
        "kbe_version": extraction.version,
        "prompt": extraction.prompt,
        "annotations": json.dumps(extraction.files, ensure_ascii=False) if extraction.files else "",
    }


def extraction_of(row: Mapping[str, Any]) -> Extraction:
    """Return the extraction of a Sample node."""
    files = parse_pairs("extraction", row, "annotations", name="extracted_by") if row.get("annotations") else ()
    by, parser, version, prompt = (row.get(name) or "" for name in ("extracted_by", "parser", "kbe_version", "prompt"))
    return Extraction(by, parser, version, files, prompt)


def entity_id(sample: str, entity: Entity) -> str:
    """Return the id of an entity's node."""
    return f"{sample}|{entity.key}"


def question_row(question: Question) -> Row:
    """Return the node of a question; ``end`` is the entity that its key leads to."""
    properties = field_properties(question, QUESTION.keys() - {"id", "provenance"}) | {
        "answer_term": fold(question.answer),
        "difficulty": question.difficulty,
        "end": entity_id(question.sample, question.end) if question.key else "",
        "noun": bool(question.key) and question.end.noun,
        "maker": question.provenance.maker,
        "pattern": question.provenance.pattern,
        # a seed may not fit the 64 bits of a number in the graph
        "provenance": json.dumps(asdict(question.provenance), ensure_ascii=False, sort_keys=True),
    }
    return node_row(question.id, properties)


def question_of(row: Mapping[str, Any], key: Any) -> Question:
    """Return the question of a Question node, with its key subgraph."""
    values = checked_values("question", row, QUESTION)
    provenance = parse_field("question", row, "provenance")
    try:
        made = Provenance(**{**provenance, "calls": tuple(provenance["calls"])})
    except (TypeError, KeyError):
        refuse_row("question", row["id"], "provenance", row["provenance"])
    return Question(**values | {"key": key, "provenance": made})


def candidate_rows(evolved: Evolved) -> list[Row]:
    """Return the nodes of a question's candidates, numbered in their order."""
    properties = (field_properties(candidate, CandidateRow.__slots__) for candidate in evolved.candidates)
    return _numbered_rows(evolved.question, properties, digits=5)


def candidate_of(row: Mapping[str, Any]) -> StoredCandidate:
    """Return the candidate of a Candidate node."""
    check_row("candidate", row, CANDIDATE)
    return StoredCandidate(**{field.name: row[field.name] for field in fields(StoredCandidate) if field.name in row})


def inspection_rows(evolved: Evolved) -> list[Row]:
    """Return the nodes of a question's inspections, numbered in the order of the asking."""
    return _numbered_rows(evolved.question, map(_inspection_properties, evolved.inspections), digits=2)


def _inspection_properties(inspection: Inspection) -> Row:
    verdicts = {verdict: verdict in inspection.yes for verdict in VERDICTS}
    return verdicts | field_properties(inspection, ("text", "answer", "model", "prompt", "call"))


def inspection_of(row: Mapping[str, Any]) -> StoredInspection:
    """Return the inspection of an Inspection node."""
    values = checked_values("inspection", row, INSPECTION)
    yes = tuple(verdict for verdict in VERDICTS if values.pop(verdict))
    return StoredInspection(yes=yes, **values)


def guess_rows(question: Question, run: str, guesses: Sequence[Guess]) -> list[Row]:
    """Return the nodes of the guesses that a run asked for at a question, numbered in the order of the asking."""
    about = {"question": question.id, "sample": question.sample, "run": run, "hop": question.hop, "kind": question.kind}
    return [
        node_row(
            f"{question.id}|{run}|{number:02}", field_properties(guess, Guess.__slots__) | about | {"position": number}
        )
        for number, guess in enumerate(guesses)
    ]


def guess_of(row: Mapping[str, Any]) -> StoredGuess:
    """Return the guess of a Guess node."""
    return StoredGuess(**checked_values("guess", row, GUESS))


def alternatives_of(question: str, edges: Iterable[Sequence[Any]]) -> tuple[Alternative, ...]:
    """Return the alternatives of a question, in order, of the edges that ``alternatives`` gives."""
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
    """Return the node of a run; its settings are kept as JSON."""
    settings = json.dumps(run.settings, ensure_ascii=False)
    return node_row(run.name, {"seed": str(run.seed), "settings": settings, "status": run.state})


def run_of(row: Mapping[str, Any]) -> RunRecord:
    """Return the run of a Run node."""
    check_row("run", row, RUN, name="name")
    if not row["seed"].removeprefix("-").isdecimal():
        refuse_row("run", row["name"], "seed", row["seed"])
    return RunRecord(row["name"], int(row["seed"]), parse_pairs("run", row, "settings", name="name"), row["status"])


_VOTES = ("votes", "other_verdicts")  # kept as texts: the judge, a colon, the verdict


def prediction_row(prediction: Prediction) -> Row:
    """Return the edge of a prediction, from its model to its question."""
    properties = field_properties(prediction, ANSWERED.keys() - {"id", *_VOTES})
    for name in _VOTES:
        properties[name] = [f"{vote.judge}: {vote.verdict}" for vote in getattr(prediction, name)]
    return node_row(prediction.id, properties) | {"subject": prediction.model, "object": prediction.question}


def prediction_of(row: Mapping[str, Any]) -> Prediction:
    """Return the prediction of an ANSWERED edge, which stands beside its ``model`` and ``question``."""
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
    """Return the node of a question's form."""
    return node_row(form.id, field_properties(form, FORM.keys() - {"id"}))


def form_of(row: Mapping[str, Any]) -> QuestionForm:
    """Return the form of a Form node, which stands beside the id of its ``question``."""
    values = checked_values("form", row["form"], FORM)
    id_ = values.pop("id")
    if values["form"] not in FORMS:
        refuse_row("form", id_, "form", values["form"])
    return QuestionForm(row["question"], **values)


def variant_row(variant: QuestionVariant) -> Row:
    """Return the node of a perturbed question."""
    return node_row(variant.id, field_properties(variant, VARIANT.keys() - {"id"}))


def answer_key(variant: QuestionVariant) -> Row:
    """Return the place of the answers to a perturbed question, with its text and picture."""
    row = {"id": variant.id, "object": variant.question, "operation": variant.operation, "run": variant.run}
    return row | {"text": variant.text, "image": variant.image, "status": variant.status}


def variant_of(row: Mapping[str, Any]) -> QuestionVariant:
    """Return the perturbed question of a Variant node, which stands beside the id of its ``question``."""
    values = checked_values("variant", row["variant"], VARIANT)
    id_ = values.pop("id")
    if values["status"] not in get_args(VariantStatus):
        refuse_row("variant", id_, "status", values["status"])
    return QuestionVariant(row["question"], **values)


def field_properties(value: object, names: Iterable[str]) -> Row:
    """Return the fields of a value as the graph keeps them, with lists for tuples."""
    properties = {name: getattr(value, name) for name in names}
    return {name: list(field) if isinstance(field, tuple) else field for name, field in properties.items()}
