"""The graph as the rest of the program sees it: values in, values out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kbe_graph.errors import InputError, StoreError
from kbe_graph.store import forget, funnel, graphs, paths, questions, samples, stored_forms, stored_predictions, user
from kbe_graph.store.backup import backup, restore
from kbe_graph.store.backup_check import Backup
from kbe_graph.store.bulk_import import BulkImport, write_bulk_import
from kbe_graph.store.connection import Connection
from kbe_graph.store.graphs import SaveGraphs
from kbe_graph.store.questions import QuestionQuery
from kbe_graph.store.rows import CycleRow, Evolved, run_of, run_row
from kbe_graph.store.samples import SampleQuery, SampleStatus
from kbe_graph.store.stored_candidates import StoredCandidate, read_candidates
from kbe_graph.store.stored_inspections import StoredInspection, read_inspections
from kbe_graph.store.stored_parts import StoredParts
from kbe_graph.store.user import Table
from kbe_graph.text import fold
from kbe_graph.types import (
    Drop,
    Extraction,
    Prediction,
    Progress,
    Question,
    QuestionForm,
    RunRecord,
    Sample,
    SampleGraph,
    Triplet,
)


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
        """Return how many samples there are, or have a status."""
        rows = self.connection.read("count_samples")
        return sum(row["count"] for row in rows if status in (None, row["status"]))

    def sample_status(self, ids: Sequence[str] | None = None) -> dict[str, SampleStatus]:
        """Return the status of samples, by id, with the reason of those dropped."""
        return samples.read_status(self.connection, ids)

    def save_graphs(
        self,
        outcomes: Sequence[SampleGraph | Drop],
        raw: Sequence[Question],
        extractions: Mapping[str, Extraction] | None = None,
    ) -> None:
        """Save what extraction gave, with the raw questions; a graph that a run rests on cannot change (InputError).

        ``extractions`` tell, by sample, what the graphs were extracted with.
        """
        graphs.save_graphs(self.connection, outcomes, raw, extractions or {})

    def saving_graphs(self) -> AbstractContextManager[SaveGraphs]:
        """Give what saves graphs as ``save_graphs`` does, behind: the next are made while those before are written.

        What a save raises is raised at a later one, or when the block is left, which waits for the last.
        """
        return graphs.saving_graphs(self.connection)

    def extractions(self, ids: Sequence[str] | None = None) -> list[tuple[Extraction, int]]:
        """Return what graphs of samples were extracted with, and how many with each, the most first."""
        return samples.read_extractions(self.connection, ids)

    def graphs(self, ids: Sequence[str]) -> dict[str, SampleGraph]:
        """Return the samples' own graphs, explored triplets left out, with the key of the raw question."""
        return graphs.read_graphs(self.connection, ids)

    def save_questions(self, items: Sequence[Evolved]) -> None:
        """Save questions of runs, each with its key, new textual triplet and candidates, together or not at all."""
        questions.save_questions(self.connection, items)

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
        """Return what was considered for questions; ``status`` is kept, not drawn or dropped."""
        return read_candidates(self.connection, run=run, hop=hop, status=status)

    def inspections(
        self, *, run: str | None = None, hop: int | None = None, sample: str | None = None
    ) -> list[StoredInspection]:
        """Return what a second model said of questions, by question and the order in which it was asked."""
        return read_inspections(self.connection, run=run, hop=hop, sample=sample)

    def save_predictions(self, predictions: Sequence[Prediction], families: Mapping[str, str] | None = None) -> None:
        """Save what models answered; a prediction that is there is replaced. ``families`` are those of models."""
        stored_predictions.save_predictions(self.connection, predictions, families)

    def predictions(self, *, run: str, model: str | None = None) -> list[Prediction]:
        """Return what models, or one, answered to the questions of a run."""
        return stored_predictions.read_predictions(self.connection, run=run, model=model)

    def prediction_ids(self, questions: Sequence[str], *, model: str) -> set[str]:
        """Return the ids of what a model answered to questions, by id."""
        return {row["id"] for row in self.connection.read("answered_ids", ids=list(questions), model=model)}

    def forget_predictions(self, *, run: str, model: str) -> None:
        """Take what a model answered to the questions of a run out of the graph."""
        self.connection.write(lambda transaction: transaction.run("forget_answered", run=run, model=model))

    def save_forms(self, forms: Sequence[QuestionForm]) -> None:
        """Save questions in other forms; a form that is there is replaced."""
        stored_forms.save_forms(self.connection, forms)

    def forms(self, *, run: str, form: str | None = None) -> list[QuestionForm]:
        """Return the questions of a run in other forms, or in one, by id."""
        return stored_forms.read_forms(self.connection, run=run, form=form)

    def forget_forms(self, *, run: str, form: str) -> None:
        """Take one form of the questions of a run out of the graph."""
        self.connection.write(lambda transaction: transaction.run("forget_forms_of_run", run=run, form=form))

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
        self.connection.write(lambda transaction: transaction.run("save_runs", rows=[run_row(run)]))

    def runs(self) -> list[RunRecord]:
        """Return the runs, by name."""
        return [run_of(row) for row in self.connection.read("runs")]

    def require_run(self, name: str | None) -> None:
        """Raise InputError where a run is named that is not there."""
        names = [run.name for run in self.runs()]
        if name is not None and name not in names:
            raise InputError(f"no run {name!r}; {_runs_in_words(names)}")

    def require_questions(self) -> None:
        """Raise StoreError where samples have graphs and none has its raw question: files of the graph were lost."""
        row = self.connection.read("lost_questions")[0]
        if row["samples"] and not row["questions"]:
            raise self.damaged("the raw questions of its samples")

    def damaged(self, gone: str) -> StoreError:
        """Return the error for a graph whose files lost something."""
        return StoreError(
            f"{self.connection.place.graph} is damaged: {gone} are gone; restore a backup with "
            "`work.graph.restore(FILE, replace=True)`"
        )

    def has_questions(self, run: str) -> bool:
        """Return whether a run has questions, kept or dropped."""
        return bool(self.count_questions(run))

    def count_questions(self, run: str) -> int:
        """Return how many questions a run has, kept or dropped."""
        return sum(self.status_counts(run).values())

    def status_counts(self, run: str) -> dict[str, int]:
        """Return how many questions a run has, by status."""
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
        """Take out what clients that share a work keep of it."""
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
        """Return for each row the key of what its object is or leads back to in its question's key, else nothing."""
        return paths.cycles(self.connection, rows)

    def verdicts(self, runs: Sequence[str], *, hop: int) -> dict[tuple[str, str, str], bool]:
        """Return what second opinions said in these runs up to a hop, by folded subject, relation and object."""
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
        return user.query(self.connection, name, dict(parameters or {}), limit=limit, timeout=timeout)

    def query_text(
        self, text: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = 1_000, timeout: float = 60
    ) -> Table:
        """Run a user's own Cypher, which cannot write; raises InputError where it tries to."""
        return user.query_text(self.connection, text, dict(parameters or {}), limit=limit, timeout=timeout)

    def backup(self, file: Path, *, progress: Progress = lambda *_: None) -> Backup:
        """Write the whole graph to a file that every engine can restore. Raises InputError."""
        return backup(self.connection, file, progress=progress)

    def restore(self, file: Path, *, replace: bool = False, progress: Progress = lambda *_: None) -> Backup:
        """Put a backup into the graph, empty unless ``replace`` is set; raises InputError where it is not whole."""
        return restore(self.connection, file, replace=replace, progress=progress)

    def bulk_import(self, folder: Path, *, progress: Progress = lambda *_: None) -> BulkImport:
        """Write the whole graph as files that ``neo4j-admin database import`` reads, and return the command."""
        return write_bulk_import(self.connection, folder, progress=progress)


def _runs_in_words(runs: Sequence[str]) -> str:
    """Return which runs there are, as a message says it."""
    if not runs:
        return "there is none yet; make one with `work.evolve()`"
    return f"the run is called {runs[0]!r}" if len(runs) == 1 else f"the runs are {', '.join(runs)}"
