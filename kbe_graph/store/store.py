"""The open graph: the interface that the other packages use."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kbe_graph.errors import InputError, StoreError
from kbe_graph.store import forget, funnel, guesses, paths, questions, reviews, samples, user_query, wiki_graph
from kbe_graph.store.backup import Backup, backup
from kbe_graph.store.connection import Connection, batches
from kbe_graph.store.nodes import (
    Evolved,
    SampleStatus,
    StoredCandidate,
    StoredGuess,
    StoredInspection,
    answer_key,
    candidate_of,
    form_of,
    form_row,
    inspection_of,
    node_row,
    prediction_of,
    prediction_row,
    run_of,
    run_row,
    variant_of,
    variant_row,
)
from kbe_graph.store.paths import CycleRow
from kbe_graph.store.questions import QuestionQuery
from kbe_graph.store.restore import restore
from kbe_graph.store.samples import SampleQuery, SaveGraphs
from kbe_graph.store.user_query import Table
from kbe_graph.text import fold
from kbe_graph.types import (
    Alternative,
    Drop,
    Extraction,
    Guess,
    PagePicture,
    Prediction,
    Progress,
    Question,
    QuestionForm,
    QuestionVariant,
    Review,
    RunRecord,
    Sample,
    SampleGraph,
    SampleOrigin,
    Triplet,
    WikiItem,
    WikiStatement,
)

BATCH = 500


@dataclass(frozen=True, slots=True)
class Store:
    """An open graph. Saving is idempotent; every method raises StoreError.

    The raw questions belong to the run ``raw``.
    """

    connection: Connection

    def save_samples(self, items: Sequence[Sample], *, progress: Progress = lambda *_: None) -> None:
        """Save samples; unchanged ones are kept, changed ones lose their graph (InputError if a run depends on it)."""
        samples.save_samples(self.connection, items, progress=progress)

    def samples(
        self,
        *,
        benchmark: str | None = None,
        split: str | None = None,
        ids: Sequence[str] | None = None,
        status: str | None = None,
        limit: int | None = None,
    ) -> list[Sample]:
        """Return samples sorted by id; ``status`` is loaded, extracted or dropped."""
        return samples.read_samples(self.connection, SampleQuery(benchmark, split, ids, status))[:limit]

    def sample_ids(self, *, status: str, limit: int | None = None) -> list[str]:
        """Return the sorted ids of the samples with a status, without reading the samples."""
        return sorted(row["sample"] for row in self.connection.read("sample_ids", status=status))[:limit]

    def count_samples(self, *, status: str | None = None) -> int:
        """Count the samples, all or those with a status."""
        rows = self.connection.read("count_samples")
        return sum(row["count"] for row in rows if status in (None, row["status"]))

    def sample_status(self, ids: Sequence[str] | None = None) -> dict[str, SampleStatus]:
        """Return the status of samples by id, with the reason if dropped."""
        return samples.read_sample_status(self.connection, ids)

    def save_graphs(
        self,
        outcomes: Sequence[SampleGraph | Drop],
        raw: Sequence[Question],
        extractions: Mapping[str, Extraction] | None = None,
    ) -> None:
        """Save graphs, drops and raw questions; raises InputError if a graph changed on which a run depends.

        ``extractions`` are the extractions of the graphs, by sample.
        """
        with self.saving_graphs() as save:
            save(outcomes, raw, extractions or {})

    def saving_graphs(self) -> AbstractContextManager[SaveGraphs]:
        """Yield a function that saves graphs in the background, while the next ones are prepared.

        The error of a save is raised by a later one or on exit, which waits for the last save.
        """
        return samples.saving_graphs(self.connection)

    def extractions(self, ids: Sequence[str] | None = None) -> list[tuple[Extraction, int]]:
        """Return the extractions of the samples' graphs with the number of graphs of each, most frequent first."""
        return samples.read_extractions(self.connection, ids)

    def graphs(self, ids: Sequence[str]) -> dict[str, SampleGraph]:
        """Return the samples' graphs, without explored triplets, with the key of the raw question, by sample."""
        return samples.read_graphs(self.connection, ids)

    def save_questions(self, items: Sequence[Evolved]) -> None:
        """Save questions of runs, each in one transaction with its key, new textual triplet and records."""
        questions.save_questions(self.connection, items)

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
        return questions.read_questions(self.connection, QuestionQuery(run, hop, status, samples))

    def candidates(
        self, *, run: str | None = None, hop: int | None = None, status: str | None = None
    ) -> list[StoredCandidate]:
        """Return candidates sorted by question and position; ``status`` is kept, not drawn or dropped."""
        rows = self.connection.read("candidates", run=run, hop=hop, status=status)
        candidates = [candidate_of(row["candidate"]) for row in rows]
        return sorted(candidates, key=lambda candidate: (candidate.question, candidate.position))

    def inspections(
        self, *, run: str | None = None, hop: int | None = None, sample: str | None = None
    ) -> list[StoredInspection]:
        """Return inspections sorted by question and position."""
        rows = self.connection.read("inspections", run=run, hop=hop, sample=sample)
        inspections = [inspection_of(row["inspection"]) for row in rows]
        return sorted(inspections, key=lambda inspection: (inspection.question, inspection.position))

    def save_guesses(self, run: str, items: Sequence[tuple[Question, Sequence[Guess]]]) -> None:
        """Save a run's guesses at raw questions, which belong to no run, replacing its earlier ones."""
        guesses.save_guesses(self.connection, run, items)

    def guesses(
        self,
        *,
        run: str | None = None,
        hop: int | None = None,
        sample: str | None = None,
        samples: Sequence[str] | None = None,
    ) -> list[StoredGuess]:
        """Return guesses, including those of runs at raw questions, sorted by question, run and position.

        ``sample`` or ``samples`` (ids) restrict them; by default all are returned.
        """
        samples = samples if sample is None else [sample]
        return guesses.read_guesses(self.connection, run=run, hop=hop, samples=samples)

    def alternatives(self, questions: Sequence[str]) -> dict[str, tuple[Alternative, ...]]:
        """Return the alternatives of questions by question id, in order; questions without any are left out."""
        return guesses.read_alternatives(self.connection, questions)

    def save_predictions(self, predictions: Sequence[Prediction], families: Mapping[str, str] | None = None) -> None:
        """Save predictions, replacing existing ones. ``families`` maps models to their families."""
        families = families or {}
        names = sorted({prediction.model for prediction in predictions})
        models = [node_row(name, {"family": families[name]} if name in families else {}) for name in names]
        self.connection.save({"save_models": models})
        for batch in batches(predictions, BATCH):
            self.connection.save({"save_answered": [prediction_row(prediction) for prediction in batch]})

    def predictions(self, *, run: str, model: str | None = None) -> list[Prediction]:
        """Return the predictions for the questions of a run, of all models or one."""
        predictions = [prediction_of(row) for row in self.connection.read("answered", run=run, model=model)]
        return sorted(predictions, key=lambda prediction: (prediction.question, prediction.model, prediction.id))

    def prediction_ids(self, questions: Sequence[str], *, model: str) -> set[str]:
        """Return the ids of a model's predictions for these questions."""
        return {row["id"] for row in self.connection.read("answered_ids", ids=list(questions), model=model)}

    def save_forms(self, forms: Sequence[QuestionForm]) -> None:
        """Save forms of questions, replacing existing ones."""
        for batch in batches(forms, BATCH):
            links = [{"subject": form.id, "object": form.question} for form in batch]
            self.connection.save({"save_forms": [form_row(form) for form in batch], "save_form_of": links})

    def forms(self, *, run: str, form: str | None = None) -> list[QuestionForm]:
        """Return the forms of a run's questions, all or one kind, sorted by id."""
        forms = [form_of(row) for row in self.connection.read("forms", run=run, form=form)]
        return sorted(forms, key=lambda form: form.id)

    def forms_of(self, questions: Sequence[str], *, form: str | None = None) -> list[QuestionForm]:
        """Return the forms of these questions (ids), all or one kind, sorted by id."""
        ids = batches(sorted(set(questions)), BATCH)
        rows = [row for batch in ids for row in self.connection.read("forms_of_questions", ids=batch, form=form)]
        return sorted(map(form_of, rows), key=lambda form: form.id)

    def forget_forms(self, *, run: str, form: str) -> None:
        """Delete one kind of form of a run's questions."""
        self.connection.write(lambda transaction: transaction.run("forget_forms_of_run", run=run, form=form))

    def save_variants(self, variants: Sequence[QuestionVariant]) -> None:
        """Save perturbed questions, replacing existing ones; answers to an earlier text or image are deleted."""
        for batch in batches(variants, BATCH):
            links = [{"subject": variant.id, "object": variant.question} for variant in batch]
            rows = {"forget_stale_answers": [*map(answer_key, batch)], "save_variants": [*map(variant_row, batch)]}
            self.connection.save(rows | {"save_variant_of": links})

    def variants(self, *, run: str, operation: str | None = None) -> list[QuestionVariant]:
        """Return the variants of a run's questions, of one operation or all, sorted by question, operation and seed."""
        variants = [variant_of(row) for row in self.connection.read("variants", run=run, operation=operation)]
        return sorted(variants, key=lambda variant: (variant.question, variant.operation, variant.seed))

    def variant_counts(self, *, run: str) -> list[tuple[str, str, str, int]]:
        """Count the variants of a run's questions, as tuples of operation, status, reason and count."""
        rows = self.connection.read("variant_counts", run=run)
        return [(row["operation"], row["status"], row["reason"], row["count"]) for row in rows]

    def forget_variants(self, *, run: str, operation: str) -> None:
        """Delete the variants of a run's questions that an operation made."""
        self.connection.write(
            lambda transaction: transaction.run("forget_variants_of_run", run=run, operation=operation)
        )

    def question_ids(self, ids: Sequence[str]) -> set[str]:
        """Return the subset of ``ids`` that belong to questions in the graph."""
        wanted = sorted(set(ids))
        return {
            row["id"] for batch in batches(wanted, BATCH) for row in self.connection.read("question_ids", ids=batch)
        }

    def review_ids(self, ids: Sequence[str]) -> set[str]:
        """Return the subset of ``ids`` that belong to decisions in the graph."""
        return {row["review"]["id"] for row in self.connection.read("reviews_by_id", ids=sorted(set(ids)))}

    def save_reviews(self, items: Sequence[Review]) -> None:
        """Add reviewers' decisions; existing ones are kept unchanged.

        Raises InputError if an id is already stored with different content, or a question does not exist.
        """
        reviews.save_reviews(self.connection, items)

    def reviews(
        self, questions: Sequence[str] | None = None, *, run: str | None = None, reviewer: str | None = None
    ) -> list[Review]:
        """Return reviewers' decisions on ``questions`` (ids) or on a run, sorted by question, time and number."""
        return reviews.read_reviews(self.connection, questions=questions, run=run, reviewer=reviewer)

    def save_pictures(self, pictures: Sequence[PagePicture], *, progress: Progress = lambda *_: None) -> None:
        """Save page pictures, each linked to its item, replacing existing ones."""
        wiki_graph.save_pictures(self.connection, pictures, progress=progress)

    def pictures(
        self, *, ids: Sequence[str] | None = None, reason: str | None = None, limit: int | None = None
    ) -> list[PagePicture]:
        """Return page pictures sorted by id, with any ``reason`` for exclusion or a given one (empty: not excluded)."""
        return wiki_graph.read_pictures(self.connection, ids=ids, reason=reason)[:limit]

    def save_items(
        self,
        items: Sequence[WikiItem],
        statements: Iterable[WikiStatement],
        *,
        progress: Progress = lambda *_: None,
    ) -> None:
        """Save Wikidata items with all their statements, replacing earlier statements.

        Raises InputError for a statement of an item that is not in ``items``.
        """
        wiki_graph.save_items(self.connection, items, statements, progress=progress)

    def items(self, ids: Sequence[str]) -> dict[str, WikiItem]:
        """Return items by id; unknown ones are left out, and one that was never fetched has at most a label."""
        return wiki_graph.read_items(self.connection, ids)

    def item_statements(self, ids: Sequence[str], *, kept: bool | None = True) -> dict[str, tuple[WikiStatement, ...]]:
        """Return the statements of items by item, in order; ``kept`` False returns refused ones, None all."""
        return wiki_graph.read_item_statements(self.connection, ids, kept=kept)

    def statements(self, ids: Sequence[str]) -> dict[str, WikiStatement]:
        """Return statements by their ids; unknown ones are left out."""
        return wiki_graph.read_statements(self.connection, ids)

    def fetched_items(self) -> set[str]:
        """Return the ids of the items whose statements are stored."""
        return {row["id"] for row in self.connection.read("fetched_items")}

    def unfetched_targets(self, *, kept: bool | None = True) -> dict[str, int]:
        """Count the statements that lead to unfetched items, by item, most frequent first."""
        return {row["id"]: row["count"] for row in self.connection.read("unfetched_targets", kept=kept)}

    def update_reasons(self, statements: Iterable[WikiStatement]) -> None:
        """Update the reasons for which filters refuse stored statements; nothing else changes."""
        wiki_graph.update_reasons(self.connection, statements)

    def save_origins(self, origins: Sequence[SampleOrigin]) -> None:
        """Save the origins of samples, one per sample; raises InputError if a sample or picture is missing."""
        wiki_graph.save_origins(self.connection, origins)

    def origins(self, samples: Sequence[str] | None = None) -> dict[str, SampleOrigin]:
        """Return the origins of samples, or of all, by sample; samples not made from a picture are left out."""
        return wiki_graph.read_origins(self.connection, samples)

    def forget_wiki(self) -> None:
        """Delete all page pictures, items, statements and origins; samples are kept."""
        wiki_graph.forget_wiki(self.connection)

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
        self.connection.save({"save_runs": [run_row(run)]})

    def runs(self) -> list[RunRecord]:
        """Return all runs."""
        return [run_of(row) for row in self.connection.read("runs")]

    def require_run(self, name: str | None) -> None:
        """Raise InputError if ``name`` is given and no such run exists."""
        names = [run.name for run in self.runs()]
        if name is not None and name not in names:
            raise InputError(f"no run {name!r}; {_runs_in_words(names)}")

    def no_benchmark(self, name: str) -> InputError:
        """Return the error for an unknown benchmark; its message lists the loaded ones."""
        names = sorted({sample.benchmark for sample in self.samples()})
        return InputError(f"no benchmark {name!r}; available: {', '.join(names) or 'none, load one first'}")

    def require_questions(self) -> None:
        """Raise StoreError if samples have graphs but no raw questions, because files of the graph were lost."""
        row = self.connection.read("lost_questions")[0]
        if row["samples"] and not row["questions"]:
            raise self.damaged("the raw questions of its samples")

    def damaged(self, gone: str) -> StoreError:
        """Return the error for a graph that lost data."""
        return StoreError(
            f"{self.connection.place.graph} is damaged: {gone} are missing; restore a backup with "
            "`restore` and `replace`"
        )

    def has_questions(self, run: str) -> bool:
        """Return True if a run has questions, kept or dropped."""
        return bool(self.count_questions(run))

    def count_questions(self, run: str) -> int:
        """Count the questions of a run, kept or dropped."""
        return sum(self.status_counts(run).values())

    def status_counts(self, run: str) -> dict[str, int]:
        """Count the questions of a run by status."""
        counts: Counter[str] = Counter()
        for row in self.connection.read("count_questions", run=run):
            counts[row["status"]] += row["count"]
        return dict(counts)

    def runs_of(self, samples: Sequence[str]) -> set[str]:
        """Return the names of the runs that have questions about the samples (ids)."""
        return forget.runs_of(self.connection, samples)

    def forget_run(self, name: str, *, progress: Progress = lambda *_: None) -> int:
        """Delete a run with everything that depends on it; return the number of deleted questions."""
        return forget.forget_run(self.connection, name, progress=progress)

    def forget_samples(self, ids: Sequence[str], *, progress: Progress = lambda *_: None) -> int:
        """Delete samples with everything that depends on them; return the number of deleted questions."""
        return forget.forget_samples(self.connection, ids, progress=progress)

    def reselect(
        self, graphs: Mapping[str, SampleGraph], *, seed: int, max_length: int = 10, timeout: float = 60
    ) -> dict[str, list[tuple[Triplet, ...]]]:
        """Return each sample's longest simple paths from IMAGE to at most twenty nouns, longest first.

        ``graphs`` come from ``Store.graphs``. An end has at most three paths, each of a different length; among paths
        of equal length, ``seed`` decides. A sample whose search takes longer than ``timeout`` seconds is left out.
        """
        return paths.reselect(self.connection, graphs, seed=seed, max_length=max_length, timeout=timeout)

    def cycles(self, rows: Sequence[CycleRow]) -> list[str]:
        """Return for each row the key of the entity that its object is or leads back to, or an empty string."""
        return paths.cycles(self.connection, rows)

    def verdicts(self, runs: Sequence[str], *, hop: int) -> dict[tuple[str, str, str], bool]:
        """Return second opinions of these runs up to a hop, by folded subject, relation and object."""
        rows = self.connection.read("verdicts", names=sorted(runs), most=hop)
        return {(fold(row["subject"]), fold(row["relation"]), fold(row["object"])): bool(row["ok"]) for row in rows}

    def status(self, run: str | None = None) -> dict[str, Any]:
        """Return counts by stage, hop and reason, for one run or all."""
        return funnel.read_status(self.connection, run)

    def query(
        self,
        name: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        """Run a named query; raises InputError for an unknown name or parameter."""
        return user_query.query(self.connection, name, dict(parameters or {}), limit=limit, timeout=timeout)

    def query_text(
        self, text: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = 1_000, timeout: float = 60
    ) -> Table:
        """Run a user's own Cypher, read-only; raises InputError if it tries to write."""
        return user_query.query_text(self.connection, text, dict(parameters or {}), limit=limit, timeout=timeout)

    def backup(self, file: Path, *, progress: Progress = lambda *_: None) -> Backup:
        """Write the whole graph to a file that every engine can restore. Raises InputError."""
        return backup(self.connection, file, progress=progress)

    def restore(self, file: Path, *, replace: bool = False, progress: Progress = lambda *_: None) -> Backup:
        """Load a backup into the graph, empty unless ``replace`` is set; raises InputError if it is incomplete."""
        return restore(self.connection, file, replace=replace, progress=progress)


def _runs_in_words(runs: Sequence[str]) -> str:
    if not runs:
        return "there are none yet; `evolve` makes one"
    return f"the only run is {runs[0]!r}" if len(runs) == 1 else f"the runs are {', '.join(runs)}"
