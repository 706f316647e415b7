"""Questions with their key subgraphs, and what is stored about them: candidates, guesses, answers, forms, variants."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from kbe_graph.errors import InputError
from kbe_graph.store import edges, nodes
from kbe_graph.store.connection import Connection, Stored, Transaction, batches
from kbe_graph.store.edges import ORIGIN, entity_rows, entity_statements
from kbe_graph.store.nodes import (
    CandidateRow,
    Evolved,
    Row,
    StoredGuess,
    StoredInspection,
    entity_id,
    links,
    node_row,
    properties_of,
    value_of,
)
from kbe_graph.text import fold, in_order
from kbe_graph.types import (
    RAW,
    TWIN,
    Alternative,
    AnswerSets,
    Draft,
    Entity,
    Guess,
    Identity,
    Prediction,
    Question,
    QuestionForm,
    QuestionVariant,
    RunRecord,
    Triplet,
    question_id,
)

BATCH = 200
MANY = 500
READ = 2_000


class StoredQuestions(Stored):
    """The questions of runs, and what is stored about them."""

    def save_questions(self, items: Sequence[Evolved]) -> None:
        """Save questions of runs, each in one transaction with its key, new textual triplet and records."""
        ordered = sorted(items, key=lambda item: (item.question.hop, item.question.id))
        for batch in batches(ordered, BATCH):
            self.connection.write(partial(write_questions, rows=question_rows(batch)))

    def save_loaded(self, asked: Iterable[Question]) -> None:
        """Save the questions of samples without a graph, so that answers can be stored; others are stored already."""
        loaded = {question.id: question for question in asked if question.status == "loaded"}
        self.save_questions([Evolved(question) for question in loaded.values()])

    def questions(
        self,
        *,
        run: str | None = None,
        hop: int | None = None,
        status: str | None = "kept",
        samples: Sequence[str] | None = None,
    ) -> list[Question]:
        """Return questions with their keys, sorted by id; pass ``status`` None to include dropped ones."""
        narrow: dict[str, Any] = {"hop": hop, "status": status}
        if samples is not None:
            asked = self.connection.read("questions_of_samples", samples=sorted(set(samples)), run=run, **narrow)
        elif run is not None:
            asked = self.connection.read("questions_of_run", run=run, **narrow)
        else:
            asked = self.connection.read("questions", **narrow)
        rows = [row["question"] for row in asked]
        keys: dict[str, tuple[Triplet, ...]] = {}
        for batch in batches(sorted({row["sample"] for row in rows if row["difficulty"]}), MANY):
            keys |= keys_of(self.connection, batch, run=run, hop=hop)
        questions = (nodes.question_of(row, keys.get(row["id"], ())) for row in rows)
        return sorted(questions, key=lambda question: in_order(question.id))

    def link_twins(self, pairs: Iterable[tuple[Question, Question]]) -> None:
        """Record that the first question of each pair asks the words of the second about another picture."""
        rows = [{"subject": twin.id, "object": question.id} for twin, question in pairs]
        self.connection.save({"link_twins": rows})

    def twins_of(self, questions: Sequence[str]) -> list[Question]:
        """Return the kept twins of questions (ids), sorted by id."""
        rows = self.connection.read_by_ids("twins_of_questions", questions)
        ids, samples = ({row[name] for row in rows} for name in ("id", "sample"))
        return [each for each in self.questions(samples=sorted(samples)) if each.id in ids] if ids else []

    def candidates(
        self, *, run: str | None = None, hop: int | None = None, status: str | None = None
    ) -> list[CandidateRow]:
        """Return candidates sorted by question and position; ``status`` is kept, not drawn or dropped."""
        rows = self.connection.read("candidates", run=run, hop=hop, status=status)
        candidates = [value_of(CandidateRow, "candidate", row["candidate"]) for row in rows]
        return sorted(candidates, key=lambda candidate: (candidate.question, candidate.position))

    def inspections(
        self, *, run: str | None = None, hop: int | None = None, sample: str | None = None
    ) -> list[StoredInspection]:
        """Return inspections sorted by question and position."""
        rows = self.connection.read("inspections", run=run, hop=hop, sample=sample)
        inspections = [nodes.inspection_of(row["inspection"]) for row in rows]
        return sorted(inspections, key=lambda inspection: (inspection.question, inspection.position))

    def save_guesses(self, run: str, items: Sequence[tuple[Question, Sequence[Guess]]]) -> None:
        """Save a run's guesses at raw questions, which belong to no run, replacing its earlier ones."""
        for batch in batches(items, MANY):
            rows = [row for question, guesses in batch for row in nodes.guess_rows(question, run, guesses)]
            former = [{"id": question.id, "run": run} for question, _ in batch]
            self.connection.save({"forget_guesses": former, "save_guesses": rows, "save_guess_of": links(rows)})

    def guesses(
        self, *, run: str | None = None, hop: int | None = None, samples: Sequence[str] | None = None
    ) -> list[StoredGuess]:
        """Return guesses, including those of runs at raw questions, sorted by question, run and position.

        ``samples`` (ids) restrict them; by default all are returned.
        """
        if samples is None:
            rows = self.connection.read("guesses", run=run, hop=hop)
        else:
            rows = self.connection.read("guesses_of_samples", samples=sorted(set(samples)), run=run, hop=hop)
        guesses = [value_of(StoredGuess, "guess", row["guess"]) for row in rows]
        return sorted(guesses, key=lambda guess: (guess.question, guess.run, guess.position))

    def alternatives(self, questions: Sequence[str]) -> dict[str, tuple[Alternative, ...]]:
        """Return the alternatives of questions by question id, in order; questions without any are left out."""
        rows = self.connection.read_by_ids("alternatives", questions)
        return {row["question"]: nodes.alternatives_of(row["question"], row["alternatives"]) for row in rows}

    def verdicts(self, runs: Sequence[str], *, hop: int) -> dict[tuple[str, str, str], bool]:
        """Return second opinions of these runs up to a hop, by folded subject, relation and object."""
        rows = self.connection.read("verdicts", names=sorted(runs), most=hop)
        return {(fold(row["subject"]), fold(row["relation"]), fold(row["object"])): bool(row["ok"]) for row in rows}

    def save_predictions(self, predictions: Sequence[Prediction], families: Mapping[str, str] | None = None) -> None:
        """Save predictions, replacing existing ones. ``families`` maps models to their families."""
        families = families or {}
        names = sorted({prediction.model for prediction in predictions})
        models = [node_row(name, {"family": families[name]} if name in families else {}) for name in names]
        self.connection.save({"save_models": models})
        for batch in batches(predictions, MANY):
            self.connection.save({"save_answered": [nodes.prediction_row(prediction) for prediction in batch]})

    def predictions(self, *, run: str, model: str | None = None) -> list[Prediction]:
        """Return the predictions for the questions of a run, of all models or one."""
        predictions = [nodes.prediction_of(row) for row in self.connection.read("answered", run=run, model=model)]
        return sorted(predictions, key=lambda prediction: (prediction.question, prediction.model, prediction.id))

    def save_forms(self, forms: Sequence[QuestionForm]) -> None:
        """Save forms of questions, replacing existing ones."""
        for batch in batches(forms, MANY):
            self.connection.save(form_rows(batch))

    def forms(self, *, run: str, form: str | None = None) -> list[QuestionForm]:
        """Return the forms of a run's questions, all or one kind, sorted by id."""
        return _forms(self.connection.read("forms", run=run, form=form))

    def forms_of(self, questions: Sequence[str], *, form: str | None = None) -> list[QuestionForm]:
        """Return the forms of these questions (ids), all or one kind, sorted by id."""
        return _forms(self.connection.read_by_ids("forms_of_questions", questions, form=form))

    def forget_forms(self, *, run: str, form: str) -> None:
        """Delete one kind of form of a run's questions."""
        self.connection.run("forget_forms_of_run", run=run, form=form)

    def save_variants(self, variants: Sequence[QuestionVariant]) -> None:
        """Save perturbed questions, replacing existing ones; answers to an earlier text or image are deleted."""
        for batch in batches(variants, MANY):
            rows = [node_row(variant.id, properties_of(variant, "question")) for variant in batch]
            stale = [
                properties_of(each, "question", "seed", "recipe", "reason")
                | {"id": each.id, "object": each.question, "run": each.run}
                for each in batch
            ]
            self.connection.save(
                {"forget_stale_answers": stale, "save_variants": rows, "save_variant_of": _ends(batch)}
            )

    def variants(self, *, run: str, operation: str | None = None) -> list[QuestionVariant]:
        """Return the variants of a run's questions, of one operation or all, sorted by question, operation and seed."""
        rows = self.connection.read("variants", run=run, operation=operation)
        variants = [value_of(QuestionVariant, "variant", row["variant"], question=row["question"]) for row in rows]
        return sorted(variants, key=lambda variant: (variant.question, variant.operation, variant.seed))

    def question_samples(
        self, *, run: str, hop: int, status: str | None = "kept", noun: bool | None = None
    ) -> list[str]:
        """Return the sorted ids of the samples with a question of this run and hop, without reading the questions.

        ``noun`` restricts them to questions whose answer is a noun (True) or not (False).
        """
        rows = self.connection.read("question_samples", run=run, hop=hop, status=status, noun=noun)
        return sorted({row["sample"] for row in rows})

    def samples_to_ask_again(self, *, run: str, hop: int, reason: str, beginning: str) -> list[str]:
        """Return the ids of samples whose question was dropped for ``reason`` or one that starts with ``beginning``."""
        values: dict[str, Any] = {"run": run, "hop": hop, "reason": reason, "beginning": beginning}
        return [row["sample"] for row in self.connection.read("samples_to_ask_again", **values)]

    def save_run(self, run: RunRecord) -> None:
        """Save a run with its settings."""
        self.connection.save({"save_runs": [nodes.run_row(run)]})

    def runs(self) -> list[RunRecord]:
        """Return all runs."""
        return [nodes.run_of(row) for row in self.connection.read("runs")]

    def require_run(self, name: str | None) -> None:
        """Raise InputError if ``name`` is given and no such run exists."""
        names = [run.name for run in self.runs()]
        if name is not None and name not in names:
            raise InputError(f"no run {name!r}; {_runs_in_words(names)}")

    def status_counts(self, run: str) -> dict[str, int]:
        """Count the questions of a run by status."""
        rows = self.connection.read("count_questions", run=run)
        return {
            status: sum(row["count"] for row in rows if row["status"] == status)
            for status in {row["status"] for row in rows}
        }


def question_rows(items: Sequence[Evolved]) -> dict[str, list[Row]]:
    """Return the rows of questions by the statement that writes them, in order: nodes before edges."""
    questions = [item.question for item in items]
    inspections = [row for item in items for row in nodes.inspection_rows(item)]
    guesses = [row for item in items for row in nodes.guess_rows(item.question, item.question.run, item.guesses)]
    return {
        "save_questions": [nodes.question_row(question) for question in questions],
        "create_candidates": [row for item in items for row in nodes.candidate_rows(item)],
        "save_inspections": inspections,
        **edges.entity_statements(_entities(questions)),
        "save_explored": [row for question in questions for row in edges.explored_rows(question)],
        "create_key": [row for question in questions for row in edges.key_rows(question)],
        "save_of": [{"subject": question.id, "object": question.sample} for question in questions],
        "save_evolved_from": _parents(each for each in questions if each.kind != TWIN),
        "save_twin_of": [{"subject": each.id, "object": each.twin_of} for each in questions if each.twin_of],
        "save_about": links(inspections),
        "save_guesses": guesses,
        "save_guess_of": links(guesses),
        "save_alternatives": [
            row for item in items for row in edges.alternative_rows(item.question, item.alternatives)
        ],
    }


def _parents(questions: Iterable[Question]) -> list[Row]:
    return [{"subject": question.id, "object": question.parent} for question in questions if question.parent]


def _entities(questions: Sequence[Question]) -> list[Row]:
    """Return the entities that hops added to the keys; earlier ones belong to the samples' graphs and are stored.

    For a reviewer's version all entities of the key count, as it may end in a different entity at any hop, and for a
    twin, whose key starts anew.
    """
    added = (each.key if each.status == "revised" or each.kind == TWIN else each.explored for each in questions)
    rows = [row for each, key in zip(questions, added, strict=True) for row in edges.entity_rows(each.sample, key)]
    return list({row["id"]: row for row in reversed(rows)}.values())[::-1]


def write_questions(transaction: Transaction, rows: Mapping[str, list[Row]]) -> None:
    """Write the rows of questions in a transaction, replacing existing questions.

    A raw question keeps its variants, since its text comes from its sample and is deleted with it.
    """
    before = transaction.run("question_ids", ids=[row["id"] for row in rows["save_questions"]])
    forget_about(transaction, before)
    raw = {row["id"] for row in rows["save_questions"] if row["properties"]["run"] == RAW}
    transaction.save("forget_variants", [row for row in before if row["id"] not in raw])
    transaction.save("forget_question_edges", before)
    transaction.save_all(rows)


def forget_about(transaction: Transaction, questions: list[Row]) -> None:
    """Delete the candidates, inspections, guesses, alternatives, forms and twins of questions.

    A run's guesses at raw questions are kept, as they belong to the run.
    """
    if twins := transaction.run("twins_of_questions", ids=[row["id"] for row in questions]):
        forget_about(transaction, twins)
        for name in ("forget_question_edges", "forget_variants", "forget_reviews", "forget_questions"):
            transaction.save(name, twins)
    for name in ("forget_candidates", "forget_inspections", "forget_guesses", "forget_alternatives", "forget_forms"):
        transaction.save(name, questions)


def keys_of(
    connection: Connection, samples: Sequence[str], *, run: str | None = None, hop: int | None = None
) -> Mapping[str, tuple[Triplet, ...]]:
    """Return the key subgraphs of the samples' questions, by question id."""
    rows = connection.read("keys", samples=list(samples), run=run, hop=hop)
    return {row["question"]: edges.key_of(row["edges"]) for row in rows}


def form_rows(forms: Sequence[QuestionForm]) -> dict[str, list[Row]]:
    """Return the rows of forms by the statement that writes them."""
    rows = [node_row(form.id, properties_of(form, "question")) for form in forms]
    return {"save_forms": rows, "save_form_of": _ends(forms)}


def _ends(values: Iterable[QuestionForm | QuestionVariant]) -> list[Row]:
    return [{"subject": value.id, "object": value.question} for value in values]


def _forms(rows: Iterable[Row]) -> list[QuestionForm]:
    forms = [value_of(QuestionForm, "form", row["form"], question=row["question"]) for row in rows]
    return sorted(forms, key=lambda form: form.id)


def _runs_in_words(runs: Sequence[str]) -> str:
    if not runs:
        return "there are none yet; `evolve` makes one"
    return f"the only run is {runs[0]!r}" if len(runs) == 1 else f"the runs are {', '.join(runs)}"


YEARS = range(1000, 2200)


class StoredDrafts(Stored):
    """The identities of samples, and the drafts of runs."""

    def save_identities(self, identities: Sequence[Identity]) -> None:
        """Save what was recognised in pictures, replacing earlier records with the same ids."""
        for batch in batches(identities, BATCH):
            rows = [node_row(each.id, properties_of(each, "triplet") | _triplet_row(each.triplet)) for each in batch]
            self.connection.save({"save_identities": rows})

    def save_drafts(self, drafts: Sequence[Draft]) -> None:
        """Save drafts with their triplets, replacing earlier ones with the same ids."""
        for batch in batches(drafts, BATCH):
            ends = (row for each in batch for row in entity_rows(each.sample, (edge.triplet for edge in each.edges)))
            rows = entity_statements(list({row["id"]: row for row in ends}.values()))
            rows["save_drafts"] = [_draft_row(draft) for draft in batch]
            rows["save_draft"] = [row for draft in batch for row in _edge_rows(draft)]
            self.connection.save(rows)

    def identities(self, samples: Sequence[str]) -> list[Identity]:
        """Return what was recognised in the pictures of samples (ids), confirmed or refused, sorted by id."""
        rows = self.connection.read_by_ids("identities", samples, parameter="samples")
        identities = [_identity_of(row["identity"]) for row in rows]
        return sorted(identities, key=lambda identity: identity.id)

    def twin_candidates(self, question: str, *, limit: int) -> list[str]:
        """Return the samples whose picture a question's (id) twin may be on, the nearest first."""
        return [row["sample"] for row in self.connection.read("twins", id=question, limit=limit)]

    def answer_sets(self, draft: Draft) -> AnswerSets:
        """Return what fits a saved draft, by all edges of its key and without each of them."""
        rows = self.connection.read("answers", id=draft.id)
        return {row["left_out"]: frozenset(row["answers"]) for row in rows}


def _draft_row(draft: Draft) -> Row:
    numbers = [edge.number for edge in draft.edges if edge.number is not None]
    properties = properties_of(draft, "edges", "end", "calls") | {
        "hop": draft.hop,
        "depth": draft.depth,
        "end": entity_id(draft.sample, draft.end),
        "years": bool(numbers) and all(number in YEARS for number in numbers),
        "calls": list(draft.calls),
        "question": question_id(draft.sample, draft.run, draft.hop)
        if draft.status == "chosen" and not draft.twin
        else draft.id,
    }
    return node_row(draft.id, properties)


def _edge_rows(draft: Draft) -> Iterable[Row]:
    for position, edge in enumerate(draft.edges):
        triplet = edge.triplet
        properties: Row = {
            "draft": draft.id,
            "sample": draft.sample,
            "run": draft.run,
            "position": position,
            "word": edge.word,
            "seen": edge.is_seen,
            "number": edge.number,
            "rival": edge.rival,
            "graph": triplet.graph,
            **{name: getattr(triplet, name) for name in ORIGIN},
        }
        ends = {"subject": entity_id(draft.sample, triplet.subject), "object": entity_id(draft.sample, triplet.object)}
        yield node_row(f"{draft.id}|{position:02}", properties) | ends


def _triplet_row(triplet: Triplet) -> Row:
    ends = {"subject": triplet.subject.name, "subject_number": triplet.subject.number, "object": triplet.object.name}
    return ends | {name: getattr(triplet, name) for name in ORIGIN}


def _identity_of(row: Row) -> Identity:
    subject = Entity(row["subject"], row["subject_number"])
    triplet = Triplet(subject, row["relation"], Entity(row["object"]), "visual", *(row[name] for name in ORIGIN[1:]))
    return value_of(Identity, "identity", row, triplet=triplet)
