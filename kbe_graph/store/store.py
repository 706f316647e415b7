"""The open graph: values in, values out."""

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
from kbe_graph.store.stored_parts import StoredParts
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
    """An open graph. Every save may be repeated and then changes nothing; every method raises StoreError.

    One process writes at a time. Questions of the raw benchmark belong to the run ``raw``.
    """

    connection: Connection

    def save_samples(self, items: Sequence[Sample], *, progress: Progress = lambda *_: None) -> None:
        """Save samples; a known one stays, one that reads differently loses its graph, if no run rests on it."""
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
        """Return the sorted ids of the samples of a status, without the samples."""
        return sorted(row["sample"] for row in self.connection.read("sample_ids", status=status))[:limit]

    def count_samples(self, *, status: str | None = None) -> int:
        """Return the number of samples, of all or of a status."""
        rows = self.connection.read("count_samples")
        return sum(row["count"] for row in rows if status in (None, row["status"]))

    def sample_status(self, ids: Sequence[str] | None = None) -> dict[str, SampleStatus]:
        """Return the status of samples, by id, with the reason of those dropped."""
        return samples.read_sample_status(self.connection, ids)

    def save_graphs(
        self,
        outcomes: Sequence[SampleGraph | Drop],
        raw: Sequence[Question],
        extractions: Mapping[str, Extraction] | None = None,
    ) -> None:
        """Save graphs and drops, with the raw questions; a graph that a run rests on cannot change (InputError).

        ``extractions`` are those of the graphs, by sample.
        """
        with self.saving_graphs() as save:
            save(outcomes, raw, extractions or {})

    def saving_graphs(self) -> AbstractContextManager[SaveGraphs]:
        """Give a function that saves graphs behind: the next are made while those before are written.

        An error of a save is raised at a later one, or when the block is left, which waits for the last.
        """
        return samples.saving_graphs(self.connection)

    def extractions(self, ids: Sequence[str] | None = None) -> list[tuple[Extraction, int]]:
        """Return the extractions of the samples' graphs, each with its number of graphs, the most first."""
        return samples.read_extractions(self.connection, ids)

    def graphs(self, ids: Sequence[str]) -> dict[str, SampleGraph]:
        """Return the samples' own graphs, explored triplets left out, with the key of the raw question."""
        return samples.read_graphs(self.connection, ids)

    def save_questions(self, items: Sequence[Evolved]) -> None:
        """Save questions of runs, each with its key, new textual triplet and all said of it, together or not at all."""
        questions.save_questions(self.connection, items)

    def save_loaded(self, asked: Iterable[Question]) -> None:
        """Save the questions of samples without a graph, so that answers can be kept; others are there already."""
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
        """Return questions with their keys, sorted by id; ``status`` None gives dropped ones as well."""
        return questions.read_questions(self.connection, QuestionQuery(run, hop, status, samples))

    def candidates(
        self, *, run: str | None = None, hop: int | None = None, status: str | None = None
    ) -> list[StoredCandidate]:
        """Return the candidates by question and place; ``status`` is kept, not drawn or dropped."""
        rows = self.connection.read("candidates", run=run, hop=hop, status=status)
        candidates = [candidate_of(row["candidate"]) for row in rows]
        return sorted(candidates, key=lambda candidate: (candidate.question, candidate.position))

    def inspections(
        self, *, run: str | None = None, hop: int | None = None, sample: str | None = None
    ) -> list[StoredInspection]:
        """Return the inspections by question and order of the asking."""
        rows = self.connection.read("inspections", run=run, hop=hop, sample=sample)
        inspections = [inspection_of(row["inspection"]) for row in rows]
        return sorted(inspections, key=lambda inspection: (inspection.question, inspection.position))

    def save_guesses(self, run: str, items: Sequence[tuple[Question, Sequence[Guess]]]) -> None:
        """Save a run's guesses at raw questions, which belong to no run; its earlier guesses at them go."""
        guesses.save_guesses(self.connection, run, items)

    def guesses(
        self,
        *,
        run: str | None = None,
        hop: int | None = None,
        sample: str | None = None,
        samples: Sequence[str] | None = None,
    ) -> list[StoredGuess]:
        """Return the guesses, also those of runs at raw questions, by question, run and order of the asking.

        They are of a ``sample`` or of some ``samples``, by id; without these of all.
        """
        samples = samples if sample is None else [sample]
        return guesses.read_guesses(self.connection, run=run, hop=hop, samples=samples)

    def alternatives(self, questions: Sequence[str]) -> dict[str, tuple[Alternative, ...]]:
        """Return the alternatives of questions by id, in their order; a question that has none is left out."""
        return guesses.read_alternatives(self.connection, questions)

    def save_predictions(self, predictions: Sequence[Prediction], families: Mapping[str, str] | None = None) -> None:
        """Save predictions; one that is there is replaced. ``families`` are those of models, by name."""
        families = families or {}
        names = sorted({prediction.model for prediction in predictions})
        models = [node_row(name, {"family": families[name]} if name in families else {}) for name in names]
        self.connection.save({"save_models": models})
        for batch in batches(predictions, BATCH):
            self.connection.save({"save_answered": [prediction_row(prediction) for prediction in batch]})

    def predictions(self, *, run: str, model: str | None = None) -> list[Prediction]:
        """Return the predictions to the questions of a run, of all models or of one."""
        predictions = [prediction_of(row) for row in self.connection.read("answered", run=run, model=model)]
        return sorted(predictions, key=lambda prediction: (prediction.question, prediction.model, prediction.id))

    def prediction_ids(self, questions: Sequence[str], *, model: str) -> set[str]:
        """Return the ids of a model's predictions to questions."""
        return {row["id"] for row in self.connection.read("answered_ids", ids=list(questions), model=model)}

    def save_forms(self, forms: Sequence[QuestionForm]) -> None:
        """Save questions in other forms; a form that is there is replaced."""
        for batch in batches(forms, BATCH):
            links = [{"subject": form.id, "object": form.question} for form in batch]
            self.connection.save({"save_forms": [form_row(form) for form in batch], "save_form_of": links})

    def forms(self, *, run: str, form: str | None = None) -> list[QuestionForm]:
        """Return the questions of a run in other forms, or in one, by id."""
        forms = [form_of(row) for row in self.connection.read("forms", run=run, form=form)]
        return sorted(forms, key=lambda form: form.id)

    def forms_of(self, questions: Sequence[str], *, form: str | None = None) -> list[QuestionForm]:
        """Return questions, by id, in other forms, or in one, by id."""
        ids = batches(sorted(set(questions)), BATCH)
        rows = [row for batch in ids for row in self.connection.read("forms_of_questions", ids=batch, form=form)]
        return sorted(map(form_of, rows), key=lambda form: form.id)

    def forget_forms(self, *, run: str, form: str) -> None:
        """Take one form of the questions of a run out of the graph."""
        self.connection.write(lambda transaction: transaction.run("forget_forms_of_run", run=run, form=form))

    def save_variants(self, variants: Sequence[QuestionVariant]) -> None:
        """Save perturbed questions; one that is there is replaced, and answers to its earlier text or picture go."""
        for batch in batches(variants, BATCH):
            links = [{"subject": variant.id, "object": variant.question} for variant in batch]
            rows = {"forget_stale_answers": [*map(answer_key, batch)], "save_variants": [*map(variant_row, batch)]}
            self.connection.save(rows | {"save_variant_of": links})

    def variants(self, *, run: str, operation: str | None = None) -> list[QuestionVariant]:
        """Return the variants of the questions of a run, of one operation or all, by question, operation and seed."""
        variants = [variant_of(row) for row in self.connection.read("variants", run=run, operation=operation)]
        return sorted(variants, key=lambda variant: (variant.question, variant.operation, variant.seed))

    def variant_counts(self, *, run: str) -> list[tuple[str, str, str, int]]:
        """Count the variants of the questions of a run: by operation, status and reason, with the number."""
        rows = self.connection.read("variant_counts", run=run)
        return [(row["operation"], row["status"], row["reason"], row["count"]) for row in rows]

    def forget_variants(self, *, run: str, operation: str) -> None:
        """Take the variants that an operation made of the questions of a run out of the graph."""
        self.connection.write(
            lambda transaction: transaction.run("forget_variants_of_run", run=run, operation=operation)
        )

    def question_ids(self, ids: Sequence[str]) -> set[str]:
        """Return those of the ids that are of questions in the graph."""
        wanted = sorted(set(ids))
        return {
            row["id"] for batch in batches(wanted, BATCH) for row in self.connection.read("question_ids", ids=batch)
        }

    def review_ids(self, ids: Sequence[str]) -> set[str]:
        """Return those of the ids that are of decisions in the graph."""
        return {row["review"]["id"] for row in self.connection.read("reviews_by_id", ids=sorted(set(ids)))}

    def save_reviews(self, items: Sequence[Review]) -> None:
        """Add decisions of reviewers; one that is there stays, and none is changed.

        Raises InputError for another decision under the same id, and for a question that is not there.
        """
        reviews.save_reviews(self.connection, items)

    def reviews(
        self, questions: Sequence[str] | None = None, *, run: str | None = None, reviewer: str | None = None
    ) -> list[Review]:
        """Return decisions of reviewers by question, time and number: of questions by id, or of all of a run."""
        return reviews.read_reviews(self.connection, questions=questions, run=run, reviewer=reviewer)

    def save_pictures(self, pictures: Sequence[PagePicture], *, progress: Progress = lambda *_: None) -> None:
        """Save pictures of pages, each linked to its item; one that is there is replaced."""
        wiki_graph.save_pictures(self.connection, pictures, progress=progress)

    def pictures(
        self, *, ids: Sequence[str] | None = None, reason: str | None = None, limit: int | None = None
    ) -> list[PagePicture]:
        """Return pictures of pages sorted by id; those of a reason (empty: not left out), or of any with None."""
        return wiki_graph.read_pictures(self.connection, ids=ids, reason=reason)[:limit]

    def save_items(
        self,
        items: Sequence[WikiItem],
        statements: Iterable[WikiStatement],
        *,
        progress: Progress = lambda *_: None,
    ) -> None:
        """Save items of Wikidata with all their statements, which replace those that they had.

        Raises InputError for a statement of another item.
        """
        wiki_graph.save_items(self.connection, items, statements, progress=progress)

    def items(self, ids: Sequence[str]) -> dict[str, WikiItem]:
        """Return items by id; one that was never fetched has a label at most, one that is not there is left out."""
        return wiki_graph.read_items(self.connection, ids)

    def item_statements(self, ids: Sequence[str], *, kept: bool | None = True) -> dict[str, tuple[WikiStatement, ...]]:
        """Return the statements of items by item, in order; ``kept`` False gives those refused, None all."""
        return wiki_graph.read_item_statements(self.connection, ids, kept=kept)

    def statements(self, ids: Sequence[str]) -> dict[str, WikiStatement]:
        """Return statements by their own ids; one that is not there is left out."""
        return wiki_graph.read_statements(self.connection, ids)

    def fetched_items(self) -> set[str]:
        """Return the ids of the items whose statements are there."""
        return {row["id"] for row in self.connection.read("fetched_items")}

    def unfetched_targets(self, *, kept: bool | None = True) -> dict[str, int]:
        """Count the statements that lead to items whose own are not there, by item, the most first."""
        return {row["id"]: row["count"] for row in self.connection.read("unfetched_targets", kept=kept)}

    def update_reasons(self, statements: Iterable[WikiStatement]) -> None:
        """Save which filters refuse statements that are there; all else of them stays."""
        wiki_graph.update_reasons(self.connection, statements)

    def save_origins(self, origins: Sequence[SampleOrigin]) -> None:
        """Save the origins of samples, one a sample; raises InputError where sample or picture is missing."""
        wiki_graph.save_origins(self.connection, origins)

    def origins(self, samples: Sequence[str] | None = None) -> dict[str, SampleOrigin]:
        """Return the origins of samples, or of all, by sample; one made of no picture is left out."""
        return wiki_graph.read_origins(self.connection, samples)

    def forget_wiki(self) -> None:
        """Delete all pictures of pages, items, statements and origins; samples stay."""
        wiki_graph.forget_wiki(self.connection)

    def question_samples(
        self, *, run: str, hop: int, status: str | None = "kept", noun: bool | None = None
    ) -> list[str]:
        """Return the sorted ids of the samples that have a question of a run and hop, without the questions.

        ``noun`` asks for those whose answer is a noun, or is none.
        """
        rows = self.connection.read("question_samples", run=run, hop=hop, status=status, noun=noun)
        return sorted({row["sample"] for row in rows})

    def samples_to_ask_again(self, *, run: str, hop: int, reason: str, beginning: str) -> list[str]:
        """Return the ids of the samples whose question dropped for a reason, or one that begins so."""
        values: dict[str, Any] = {"run": run, "hop": hop, "reason": reason, "beginning": beginning}
        return [row["sample"] for row in self.connection.read("samples_to_ask_again", **values)]

    def save_run(self, run: RunRecord) -> None:
        """Save a run with its settings."""
        self.connection.save({"save_runs": [run_row(run)]})

    def runs(self) -> list[RunRecord]:
        """Return the runs, by name."""
        return [run_of(row) for row in self.connection.read("runs")]

    def require_run(self, name: str | None) -> None:
        """Raise InputError where a run is named that is not there."""
        names = [run.name for run in self.runs()]
        if name is not None and name not in names:
            raise InputError(f"no run {name!r}; {_runs_in_words(names)}")

    def no_benchmark(self, name: str) -> InputError:
        """Return the error for a benchmark that was not loaded, which names those that were."""
        names = sorted({sample.benchmark for sample in self.samples()})
        return InputError(
            f"no benchmark {name!r}; available: {', '.join(names) or 'none, load one with `work.load(FILE)`'}"
        )

    def require_questions(self) -> None:
        """Raise StoreError where samples have graphs and none has its raw question: files of the graph were lost."""
        row = self.connection.read("lost_questions")[0]
        if row["samples"] and not row["questions"]:
            raise self.damaged("the raw questions of its samples")

    def damaged(self, gone: str) -> StoreError:
        """Return the error for a graph whose files lost something."""
        return StoreError(
            f"{self.connection.place.graph} is damaged: {gone} are missing; restore a backup with "
            "`work.graph.restore(FILE, replace=True)`"
        )

    def has_questions(self, run: str) -> bool:
        """Return True if a run has questions, kept or dropped."""
        return bool(self.count_questions(run))

    def count_questions(self, run: str) -> int:
        """Return the number of questions of a run, kept or dropped."""
        return sum(self.status_counts(run).values())

    def status_counts(self, run: str) -> dict[str, int]:
        """Return the numbers of questions of a run, by status."""
        counts: Counter[str] = Counter()
        for row in self.connection.read("count_questions", run=run):
            counts[row["status"]] += row["count"]
        return dict(counts)

    def runs_of(self, samples: Sequence[str]) -> set[str]:
        """Return the runs that have questions of the samples, by id."""
        return forget.runs_of(self.connection, samples)

    def forget_run(self, name: str, *, progress: Progress = lambda *_: None) -> int:
        """Take a run out with all that rests on it, and return how many questions went."""
        return forget.forget_run(self.connection, name, progress=progress)

    def forget_samples(self, ids: Sequence[str], *, progress: Progress = lambda *_: None) -> int:
        """Take samples out with all that rests on them, and return how many questions went."""
        return forget.forget_samples(self.connection, ids, progress=progress)

    def forget_parts(self, work: str) -> None:
        """Take the parts of a work out."""
        StoredParts(self.connection).forget(work)

    def reselect(
        self, graphs: Mapping[str, SampleGraph], *, seed: int, max_length: int = 10, timeout: float = 60
    ) -> dict[str, list[tuple[Triplet, ...]]]:
        """Return for each sample its longest noun-ended simple paths from IMAGE, to at most twenty ends, longest first.

        ``graphs`` are those that ``graphs`` gives. To an end there are at most three paths, each of another length; of
        equals one is drawn with the seed. A sample whose search took longer than ``timeout`` seconds is left out.
        """
        return paths.reselect(self.connection, graphs, seed=seed, max_length=max_length, timeout=timeout)

    def cycles(self, rows: Sequence[CycleRow]) -> list[str]:
        """Return for each row the key of the entity that its object is or leads back to, else an empty text."""
        return paths.cycles(self.connection, rows)

    def verdicts(self, runs: Sequence[str], *, hop: int) -> dict[tuple[str, str, str], bool]:
        """Return the second opinions of these runs up to a hop, by folded subject, relation and object."""
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
        """Run a named statement; raises InputError for an unknown name or parameter."""
        return user_query.query(self.connection, name, dict(parameters or {}), limit=limit, timeout=timeout)

    def query_text(
        self, text: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = 1_000, timeout: float = 60
    ) -> Table:
        """Run a user's own Cypher, which cannot write; raises InputError where it tries to."""
        return user_query.query_text(self.connection, text, dict(parameters or {}), limit=limit, timeout=timeout)

    def backup(self, file: Path, *, progress: Progress = lambda *_: None) -> Backup:
        """Write the whole graph to a file that every engine can restore. Raises InputError."""
        return backup(self.connection, file, progress=progress)

    def restore(self, file: Path, *, replace: bool = False, progress: Progress = lambda *_: None) -> Backup:
        """Put a backup into the graph, empty unless ``replace`` is set; raises InputError where it is not whole."""
        return restore(self.connection, file, replace=replace, progress=progress)


def _runs_in_words(runs: Sequence[str]) -> str:
    """Return the names of the runs, as a message says them."""
    if not runs:
        return "there are none yet; make one with `work.evolve()`"
    return f"the only run is {runs[0]!r}" if len(runs) == 1 else f"the runs are {', '.join(runs)}"
