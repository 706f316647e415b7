"""The figures of a report, computed from a run's questions, a workspace's counts, and models' answers."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.brief import brief
from kbe_graph.figures.accuracy import AccuracyRow, scored_rows
from kbe_graph.figures.comparisons import SurfaceTable, surface_table
from kbe_graph.figures.guess import Guesses
from kbe_graph.figures.outcomes import (
    IMAGE,
    Rows,
    judged_by,
    judges_of,
    leading_judge,
    one_judge,
)
from kbe_graph.figures.results import ItemTable, Results, item_table, memory_table, results
from kbe_graph.models.call_store import Summary
from kbe_graph.show.question_story import JudgedAnswer
from kbe_graph.show.sample_story import SampleStory
from kbe_graph.show.status import FunnelStage, run_stages, sample_stages
from kbe_graph.statistics import FEWEST
from kbe_graph.statistics.question_statistics import by_hop, variety
from kbe_graph.store.funnel import NAMED
from kbe_graph.store.nodes import StoredGuess
from kbe_graph.text import in_order
from kbe_graph.types import Alternative, Question, Round, Sample

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class ReportSource:
    """The sources of a report: a run's kept questions and the raw ones, with samples, answers and counts.

    ``status`` holds the counts of ``work.status``, ``shapes`` those of the run's drafts by shape; ``answers`` is a
    frame of ``answers_frame``; ``pictures`` maps sample ids to files. ``judge`` is the one whose verdicts count, None
    for all. ``named`` holds models' answers without the picture, ``alternatives`` the answers that other pictures
    would give, both by question id. ``left_out`` counts the questions that decisions and errata exclude. ``rounds`` are
    those in which the run followed models.
    """

    run: str | None
    samples: Mapping[str, Sample]
    questions: Sequence[Question]
    answers: "pd.DataFrame"
    status: Mapping[str, Any]
    guesses: Guesses | None = None
    costs: Summary | None = None
    pictures: Mapping[str, tuple[Path, ...]] | None = None
    judge: str | None = None
    named: Mapping[str, Sequence[StoredGuess]] = field(default_factory=dict)
    alternatives: Mapping[str, tuple[Alternative, ...]] = field(default_factory=dict)
    shapes: Sequence[Mapping[str, Any]] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    rounds: Sequence[Round] = ()


@brief("run models judge")
@dataclass(frozen=True, slots=True)
class ReportData:
    """The content of a report; parts without figures are empty.

    ``results`` and ``item_table`` are the figures of the evaluation; ``memory`` only has models that were also asked
    paraphrases; ``surface`` is about perturbed questions. ``scored`` counts the questions behind each accuracy. The
    items use the verdicts of ``judge``, one of ``all_judges``.
    """

    run: str | None
    models: tuple[str, ...]
    funnel: tuple[FunnelStage, ...]
    results: Results
    scored: Rows
    item_table: ItemTable
    memory: Rows
    statistics: "pd.DataFrame"
    variety: "pd.DataFrame"
    guesses: Guesses | None
    costs: Summary | None
    items: tuple[SampleStory, ...]
    judge: str
    all_judges: tuple[str, ...]
    named: Mapping[str, Any]
    surface: SurfaceTable
    shapes: Sequence[Mapping[str, Any]]
    left_out: Mapping[str, int]
    rounds: Sequence[Round]

    @property
    def accuracy(self) -> tuple[AccuracyRow, ...]:
        """The accuracy on unchanged questions."""
        return tuple(row for row in self.results.accuracy if row.variant == IMAGE)

    @property
    def drawn_accuracy(self) -> tuple[AccuracyRow, ...]:
        """The accuracy rows with enough questions to be charted."""
        return tuple(row for row in self.accuracy if row.questions >= FEWEST)


_ANSWER = list(JudgedAnswer._fields)


def report_data(source: ReportSource) -> ReportData:
    """Compute all figures of a report, and its items.

    ``source.answers`` may only answer ``source.questions``. Raises InputError if the answers are to questions of more
    than one run, or if ``source.judge`` judged none.
    """
    answers = source.answers if source.judge is None else one_judge(source.answers, source.judge)
    source, judge = replace(source, answers=answers), leading_judge(answers)
    memory = memory_table(answers)
    return ReportData(
        run=source.run,
        models=tuple(sorted(set(answers["model"]))),
        funnel=tuple(_funnel(source.status, source.run)),
        results=results(answers),
        scored=scored_rows(answers, source.questions, source.samples),
        item_table=item_table(judged_by(answers, judge)),
        memory=[row for row in memory if row["pairs"]],
        statistics=by_hop(source.questions),
        variety=variety(source.questions),
        guesses=source.guesses,
        costs=source.costs if source.costs and source.costs.lines else None,
        items=tuple(_items(source)),
        judge=judge,
        all_judges=tuple(judges_of(answers)),
        named=source.status["runs"].get(source.run, {}).get(NAMED, {}),
        surface=surface_table(answers),
        shapes=source.shapes,
        left_out=source.left_out,
        rounds=source.rounds,
    )


def _funnel(status: Mapping[str, Any], run: str | None) -> Iterator[FunnelStage]:
    loaded, graphs = sample_stages(status)
    if not loaded.kept:
        return
    yield from (loaded, graphs)
    if run is None or run not in status["runs"]:
        return
    yield from run_stages(status, run)
    for hop, counts in status["runs"][run].get("candidates", {}).items():
        tried = sum(counts.get(name, 0) for name in ("kept", "not drawn", "dropped"))
        reasons = {"another fact was drawn": counts["not drawn"]} if counts.get("not drawn") else {}
        reasons |= counts.get("dropped by reason", {})
        yield FunnelStage(f"facts looked at for {hop}", counts.get("kept", 0), tried, reasons)


def _items(source: ReportSource) -> Iterator[SampleStory]:
    chains, answers, pictures = defaultdict(list), defaultdict(list), source.pictures or {}
    for question in source.questions:
        chains[question.sample].append(question)
    rows = source.answers[["sample", "other_verdicts", *_ANSWER]].itertuples(index=False, name=None)
    for sample, others, *answer in rows:
        answers[sample].extend(JudgedAnswer(*answer).by_each_judge(others))
    for name, chain in sorted(chains.items(), key=lambda chain: in_order(chain[0])):
        chain.sort(key=lambda question: (question.kind != "raw", question.hop))
        yield SampleStory(
            source.samples[name],
            tuple(chain),
            pictures.get(name, ()),
            answers=tuple(answers[name]),
            guesses=tuple(guess for question in chain for guess in source.named.get(question.id, ())),
            alternatives=source.alternatives,
        )
