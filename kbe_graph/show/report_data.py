"""The figures of a report, computed from a run's questions, a workspace's counts, and models' answers."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.evaluate.accuracy import AccuracyRow, accuracy_rows
from kbe_graph.evaluate.guess import Guesses
from kbe_graph.evaluate.guessers import row_of
from kbe_graph.evaluate.item_table import ItemTable, item_table
from kbe_graph.evaluate.memory_table import MemoryRow, memory_table
from kbe_graph.evaluate.outcomes import (
    IMAGE,
    judged_as,
    judged_by,
    judges_of,
    leading_judge,
    one_judge,
    outcomes,
    with_rows,
)
from kbe_graph.evaluate.results import Results, results, truths_of
from kbe_graph.evaluate.score_rules import SCORE_RULES
from kbe_graph.evaluate.surface import SurfaceTable, VariantCount, surface_table
from kbe_graph.models.call_summary import Summary
from kbe_graph.show.paper_tables import PaperTable, paper_tables
from kbe_graph.show.question_story import JudgedAnswer
from kbe_graph.show.sample_story import SampleStory
from kbe_graph.show.stages import FunnelStage, run_stages, sample_stages
from kbe_graph.show.tables import row_order
from kbe_graph.statistics.question_statistics import by_hop, variety
from kbe_graph.statistics.shares import FEWEST
from kbe_graph.store.funnel import NAMED
from kbe_graph.store.nodes import StoredGuess
from kbe_graph.types import Alternative, Question, Sample

if TYPE_CHECKING:
    import pandas as pd


class NamedShare(NamedTuple):
    """How many questions of a row, kept or not, models were asked without the picture, and how many they named."""

    row: str
    asked: int
    named: int
    share: float
    models: str


class RelationGrowth(NamedTuple):
    """The number of distinct relations in the key subgraphs of a row."""

    benchmark: str
    row: str
    relations: int


class DifficultyBar(NamedTuple):
    """The number of questions of a row that exactly ``failing`` models fail."""

    row: str
    failing: int
    questions: int


class JudgeFigure(NamedTuple):
    """How many of a model's answers are right by a judge, right by strict match, and judged the same by both."""

    model: str
    judge: str
    answers: int
    by_judge: int
    by_match: int
    agree: int


@dataclass(frozen=True, slots=True)
class ReportSource:
    """The sources of a report: a run's kept questions and the raw ones, with samples, answers and counts.

    ``status`` holds the counts of ``work.status``; ``answers`` is a frame of ``answers_frame``; ``pictures`` maps
    sample ids to files. ``judge`` is the one whose verdicts count, None for all. ``named`` holds models' answers
    without the picture, ``alternatives`` the answers that other pictures would give, both by question id.
    ``variant_counts`` count the perturbed questions.
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
    variant_counts: Sequence[VariantCount] = ()


@dataclass(frozen=True, slots=True)
class ReportData:
    """The content of a report; parts without figures are empty.

    ``results`` and ``item_table`` are the figures of the evaluation; ``memory`` only has models that were also asked
    paraphrases; ``surface`` is about perturbed questions. The paper's tables, the difficulty and the items use the
    verdicts of ``judge``, one of ``all_judges``.
    """

    run: str | None
    made_by: str
    models: tuple[str, ...]
    funnel: tuple[FunnelStage, ...]
    tables: tuple[PaperTable, ...]
    results: Results
    relations: tuple[RelationGrowth, ...]
    difficulty: tuple[DifficultyBar, ...]
    item_table: ItemTable
    memory: tuple[MemoryRow, ...]
    variety: "pd.DataFrame"
    guesses: Guesses | None
    judges: tuple[JudgeFigure, ...]
    costs: Summary | None
    items: tuple[SampleStory, ...]
    judge: str = ""
    all_judges: tuple[str, ...] = ()
    named: tuple[NamedShare, ...] = ()
    surface: SurfaceTable = field(default_factory=SurfaceTable)

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
    questions = {question.id: question for question in source.questions}
    answers = source.answers if source.judge is None else one_judge(source.answers, source.judge)
    source, judge = replace(source, answers=answers), leading_judge(answers)
    answers = with_strict(answers, questions, source.samples)
    own = judged_by(answers, judge)
    figures, statistics, made_by = results(answers), by_hop(source.questions), _made_by(source)
    by_judge = [share for share in figures.accuracy if share.judge == judge]
    memory = memory_table(answers, questions, source.samples)
    return ReportData(
        run=source.run,
        made_by=made_by,
        models=tuple(sorted(set(answers["model"]))),
        funnel=tuple(_funnel(source.status, source.run)),
        tables=paper_tables(by_judge, figures.tokens, strict_accuracy(answers), statistics, made_by),
        results=figures,
        relations=tuple(_relations(statistics)),
        difficulty=difficulty(own),
        item_table=item_table(own),
        memory=tuple(row for row in memory if row.finding.pairs),
        variety=variety(source.questions),
        guesses=source.guesses,
        judges=judge_figures(answers),
        costs=source.costs if source.costs and source.costs.lines else None,
        items=tuple(_items(source)),
        judge=judge,
        all_judges=tuple(judges_of(answers)),
        named=tuple(_named_shares(source.status, source.run)),
        surface=surface_table(answers, source.variant_counts),
    )


def _made_by(source: ReportSource) -> str:
    makers = {question.provenance.maker for question in source.questions if question.hop}
    return ", ".join(sorted(makers)) or "nobody yet"


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
        yield FunnelStage(f"facts looked at for {hop}", counts.get("kept", 0), tried, reasons | _reasons(counts))


def _named_shares(status: Mapping[str, Any], run: str | None) -> Iterator[NamedShare]:
    for row, of_row in status["runs"].get(run, {}).get(NAMED, {}).items():
        yield NamedShare(row, of_row["asked"], of_row["right"], of_row["share"], ", ".join(of_row["by"]))


def _reasons(counts: Mapping[str, Any]) -> dict[str, int]:
    return dict(counts.get("dropped by reason", {}))


def _relations(statistics: "pd.DataFrame") -> Iterator[RelationGrowth]:
    for row in statistics.to_dict("records"):
        yield RelationGrowth(row["benchmark"], row_of(row["kind"], row["hop"]), int(row["distinct relations"]))


def _items(source: ReportSource) -> Iterator[SampleStory]:
    chains, answers, pictures = defaultdict(list), defaultdict(list), source.pictures or {}
    for question in source.questions:
        chains[question.sample].append(question)
    for sample, others, *answer in source.answers[["sample", "other_verdicts", *_ANSWER]].itertuples(
        index=False, name=None
    ):
        answers[sample].extend(JudgedAnswer(*answer).by_each_judge(others))
    for name, chain in sorted(chains.items()):
        chain.sort(key=lambda question: (question.kind != "raw", question.hop))
        yield SampleStory(
            source.samples[name],
            tuple(chain),
            pictures.get(name, ()),
            answers=tuple(answers[name]),
            guesses=tuple(guess for question in chain for guess in source.named.get(question.id, ())),
            alternatives=source.alternatives,
        )


def with_strict(
    answers: "pd.DataFrame", questions: Mapping[str, Question], samples: Mapping[str, Sample]
) -> "pd.DataFrame":
    """Add a column ``strict`` to answers: whether the text equals the answer exactly (KBE, Table 4).

    ``answers`` is a frame of ``answers_frame``; ``questions`` and ``samples`` are by id.
    """
    exact = SCORE_RULES["exact"].score
    pairs = zip(answers["text"], truths_of(answers, questions, samples), strict=True)
    strict = [bool(exact(text, truth)) for text, truth in pairs]
    return answers.assign(strict=strict)


def strict_accuracy(answers: "pd.DataFrame") -> list[AccuracyRow]:
    """Compute the accuracy by strict match on unchanged questions, from answers ``with_strict``."""
    rows = with_rows(answers[answers["variant"] == IMAGE])
    rows = judged_as(rows, rows["strict"], "exact")
    return accuracy_rows(outcomes(rows), rows, "all")


def difficulty(answers: "pd.DataFrame", variant: str = IMAGE) -> tuple[DifficultyBar, ...]:
    """Count the questions of each row that 0, 1, ... or all models fail, if all models' answers were judged."""
    own = outcomes(with_rows(answers[answers["variant"] == variant]))
    wrong = own.assign(wrong=own["right"] < 0.5)
    questions = wrong.groupby(["row", "question"])["wrong"].agg(["sum", "size"]).reset_index()
    models = own["model"].nunique()
    counts = questions[questions["size"] == models].groupby(["row", "sum"]).size()
    rows = sorted(set(questions["row"]), key=row_order)
    return tuple(
        DifficultyBar(row, failing, int(counts.get((row, failing), 0))) for row in rows for failing in range(models + 1)
    )


def judge_figures(answers: "pd.DataFrame") -> tuple[JudgeFigure, ...]:
    """Compare each judge of a model's answers with strict match, from answers ``with_strict``."""
    return tuple(
        _judge_figure(str(model), judge, judged_by(rows, judge).dropna(subset="right"))
        for model, rows in answers.groupby("model")
        for judge in judges_of(rows)
    )


def _judge_figure(model: str, judge: str, rows: "pd.DataFrame") -> JudgeFigure:
    right, strict = rows["right"].astype(bool), rows["strict"]
    return JudgeFigure(model, judge, len(rows), int(right.sum()), int(strict.sum()), int((right == strict).sum()))
