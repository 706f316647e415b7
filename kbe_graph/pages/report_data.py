"""Reckons what a report tells from the questions of a run, the counts of a workspace, and the answers of models."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from kbe_graph.evaluate.item_table import item_table
from kbe_graph.evaluate.memory_table import memory_table
from kbe_graph.evaluate.results import results
from kbe_graph.guess.riddle import row_of
from kbe_graph.pages.asked_questions import difficulty, judge_figures, strict_accuracy, with_strict
from kbe_graph.pages.paper_tables import paper_tables
from kbe_graph.pages.report_values import FunnelStage, ItemAnswer, RelationGrowth, ReportData, ReportItem, ReportSource
from kbe_graph.statistics.question_statistics import by_hop, variety

if TYPE_CHECKING:
    import pandas as pd

_ANSWER = ["question", "model", "variant", "run", "text", "verdict", "judge"]


def report_data(source: ReportSource) -> ReportData:
    """Return all figures of a report, and its items.

    Answers to questions that are not in the report are left out. Raises InputError where the answers are to questions
    of more than one run.
    """
    questions = {question.id: question for question in source.questions}
    answers = with_strict(source.answers, questions, source.samples)
    figures, statistics, made_by = results(answers), by_hop(source.questions), _made_by(source)
    memory = memory_table(answers, questions, source.samples)
    return ReportData(
        run=source.run,
        made_by=made_by,
        models=tuple(sorted(set(answers["model"]))),
        funnel=tuple(_funnel(source.status, source.run)),
        tables=paper_tables(figures, strict_accuracy(answers), statistics, made_by),
        results=figures,
        relations=tuple(_relations(statistics)),
        difficulty=difficulty(answers),
        item_table=item_table(answers),
        memory=tuple(row for row in memory if row.finding.pairs),
        variety=variety(source.questions),
        guesses=source.guesses,
        judges=judge_figures(answers),
        costs=source.costs if source.costs and source.costs.lines else None,
        items=tuple(_items(source)),
    )


def _made_by(source: ReportSource) -> str:
    """Return what worded the questions of the run."""
    makers = {question.provenance.maker for question in source.questions if question.hop}
    return ", ".join(sorted(makers)) or "nobody yet"


def _funnel(status: Mapping[str, Any], run: str | None) -> Iterator[FunnelStage]:
    """Give the stages of the samples, of the questions of the run, and of the facts that it looked at."""
    samples = status["samples"]
    loaded = sum(samples.get(name, 0) for name in ("loaded", "extracted", "dropped"))
    if loaded:
        yield FunnelStage("samples with a graph", samples.get("extracted", 0), loaded, _reasons(samples))
    of_run = status["runs"].get(run, {})
    for hop, counts in of_run.get("questions", {}).items():
        name = "re-selected questions" if hop == "hop 0" else f"questions of {hop}"
        yield FunnelStage(
            name, counts.get("kept", 0), counts.get("kept", 0) + counts.get("dropped", 0), _reasons(counts)
        )
    for hop, counts in of_run.get("candidates", {}).items():
        tried = sum(counts.get(name, 0) for name in ("kept", "not drawn", "dropped"))
        reasons = {"another fact was drawn": counts["not drawn"]} if counts.get("not drawn") else {}
        yield FunnelStage(f"facts looked at for {hop}", counts.get("kept", 0), tried, reasons | _reasons(counts))


def _reasons(counts: Mapping[str, Any]) -> dict[str, int]:
    return dict(counts.get("dropped by reason", {}))


def _relations(statistics: "pd.DataFrame") -> Iterator[RelationGrowth]:
    for row in statistics.to_dict("records"):
        yield RelationGrowth(row["benchmark"], row_of(row["kind"], row["hop"]), int(row["distinct relations"]))


def _items(source: ReportSource) -> Iterator[ReportItem]:
    """Give the samples that have questions, each with its chain and the answers to it, in the order of their ids."""
    chains, answers, pictures = defaultdict(list), defaultdict(list), source.pictures or {}
    for question in source.questions:
        chains[question.sample].append(question)
    for sample, *answer in source.answers[["sample", *_ANSWER]].itertuples(index=False, name=None):
        answers[sample].append(ItemAnswer(*answer))
    for name, chain in sorted(chains.items()):
        chain.sort(key=lambda question: (question.kind != "raw", question.hop))
        yield ReportItem(source.samples[name], tuple(chain), tuple(answers[name]), pictures.get(name))
