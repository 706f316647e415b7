"""Three common questions, answered in sentences: surface or knowledge, memory, and brittle questions."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from kbe_graph.evaluate.flips import FlipRow
from kbe_graph.evaluate.guessers import RAW_ROW
from kbe_graph.evaluate.memory_table import MemoryRow
from kbe_graph.evaluate.surface import CostRow, SurfaceRow
from kbe_graph.pages.headline import FEWEST, MOST, SURE, percent
from kbe_graph.pages.report_values import ReportData
from kbe_graph.statistics.paired import PairedDifference

NOT_IN_OTHER_WORDS = (
    "Unknown: there are no answers to paraphrased raw questions. Run 'kbe evaluate --variant image --variant "
    "paraphrase'."
)
NAMED = 3  # most brittle questions that are listed
NO_HOP = f"no hop was asked on {FEWEST} or more of these samples, so the cost of knowledge is unknown."


class QuestionAnswered(NamedTuple):
    """A common question, and its answer from the figures in one or two sentences per model."""

    question: str
    lines: tuple[str, ...]


def surface_lines(data: ReportData) -> list[QuestionAnswered]:
    """Answer the three questions by the report's judge; empty if no perturbed questions were asked."""
    if not data.surface.changes:
        return []
    answers = {
        "Does surface or knowledge cost more?": [*_first(_cost_lines(data))],
        "Is the raw score memory?": [*_first(_memory_lines(data))] or [NOT_IN_OTHER_WORDS],
        "Which questions are brittle?": [*_brittle_lines(data)],
    }
    return [QuestionAnswered(question, tuple(lines)) for question, lines in answers.items()]


def _first(lines: Iterable[str]) -> Iterator[str]:
    """Yield the first lines, as many as fit a screen, and the number of the rest."""
    each = [*lines]
    yield from each[:MOST]
    if len(each) > MOST:
        yield f"{len(each) - MOST} more below."


def _cost_lines(data: ReportData) -> Iterator[str]:
    changes = [row for row in data.surface.changes if (row.judge, row.row) == (data.judge, RAW_ROW)]
    for (benchmark, model), rows in groupby(changes, lambda row: (row.benchmark, row.model)):
        place = (benchmark, model, data.judge)
        costs = [row for row in data.surface.costs if row[:3] == place and row.figures.pairs >= FEWEST]
        contests = [_contest(row) for row in dict.fromkeys([*costs[:1], *costs[-1:]])]
        yield " ".join([f"{benchmark}, {model}:", *(contests or [NO_HOP]), *_operation_sentences([*rows])])


def _contest(row: CostRow) -> str:
    """Compare the cost of surface changes with that of a hop on the same samples."""
    figures = row.figures
    return (
        f"surface {_points(row.surface)} points (mean of {_count(row.operations, 'operation')}), {row.hop} "
        f"{_points(row.knowledge)} points on the same {_count(figures.pairs, 'sample')}; difference "
        f"{_change(figures)}: {f'{row.dearer} costs more' if row.dearer else 'no clear difference'}."
    )


def _operation_sentences(rows: list[SurfaceRow]) -> Iterator[str]:
    """Name the most costly operation, and state the effect of the control."""
    surface = [row for row in rows if row.kind == "surface" and row.figures.pairs >= FEWEST]
    if surface:
        row = min(surface, key=lambda row: row.figures.difference)
        chance = ", may be due to chance" if row.holm >= SURE else ""
        is_loss = row.figures.difference < 0
        yield (
            f"Most costly operation: {row.change} {_change(row.figures)}{chance}."
            if is_loss
            else "No operation lowers accuracy."
        )
    for row in rows:
        if row.kind == "control":
            yield f"Re-encoding only: {_change(row.figures)}."


def _change(figures: PairedDifference) -> str:
    return f"{_points(figures.difference)} ({_points(figures.low)} to {_points(figures.high)})"


def _memory_lines(data: ReportData) -> Iterator[str]:
    for row in data.memory:
        if row.judge == data.judge:
            yield f"{row.model}: {row.finding.verdict}{_wordings(row)} ({row.finding.reason})."


def _wordings(row: MemoryRow) -> str:
    finding = row.finding
    if finding.original is None or finding.paraphrase is None:
        return ""
    shares = f"{percent(finding.original)} right as published, {percent(finding.paraphrase)} paraphrased"
    return f"; {shares}, {finding.pairs} questions"


def _brittle_lines(data: ReportData) -> Iterator[str]:
    rows = [row for row in data.surface.flips if row.judge in {data.judge, ""}]
    yield from _first(_flipping(row) + _relation(row) for row in rows)
    worst = data.item_table.brittle[["question", "flips", "askings"]].head(NAMED).itertuples(index=False, name=None)
    if named := [f"{question} ({percent(flips)} of {askings} askings)" for question, flips, askings in worst]:
        yield f"Most brittle: {', '.join(named)}."


def _flipping(row: FlipRow) -> str:
    return (
        f"{row.benchmark} {row.row}, {row.model}: {row.brittle} of {_count(row.questions, 'question')} flip under a "
        f"harmless change, on average in {percent(row.flips)} of their askings."
    )


def _relation(row: FlipRow) -> str:
    """State whether stable questions are right more often, if both kinds were judged."""
    if row.stable_right is None or row.brittle_right is None:
        return ""
    shares = (
        f" Right: {percent(row.stable_right)} of the stable questions, {percent(row.brittle_right)} of the brittle ones"
    )
    if row.r is None or row.r_low is None or row.r_high is None:
        return f"{shares}."
    more = "right" if row.r_low > 0 else "wrong" if row.r_high < 0 else ""
    says = f"stable questions are more often {more}" if more else "may be due to chance"
    return f"{shares}; r {row.r:.2f} ({row.r_low:.2f} to {row.r_high:.2f}): {says}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _points(share: float) -> str:
    return f"{round(100 * share):+d}"
