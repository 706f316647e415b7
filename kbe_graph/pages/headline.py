"""The opening of a report: how many new questions there are, how models fare with them, and a typical question."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from kbe_graph.evaluate.accuracy import AccuracyRow
from kbe_graph.evaluate.comparisons import Comparison
from kbe_graph.evaluate.guessers import RAW_ROW, RESELECTED_ROW
from kbe_graph.evaluate.outcomes import IMAGE
from kbe_graph.pages.report_values import ReportData, row_order
from kbe_graph.report.question_story import JudgedAnswer, QuestionStory
from kbe_graph.report.sample_story import SampleStory
from kbe_graph.types import Question

FEWEST = 10  # pairs of questions that a line compares
SURE = 0.05  # Holm's p below which a difference is called one
MOST = 6  # models of a benchmark


def headline(data: ReportData) -> list[str]:
    """Return the result of a report in sentences: new questions by benchmark, then the models, the best ones first."""
    lines = [*_question_lines(data)]
    for benchmark in _benchmarks(data):
        lines.extend(_model_lines(data, benchmark))
    if data.items and not data.models:
        lines.append("No model has answered them yet: 'kbe evaluate' asks one.")
    return lines


def _benchmarks(data: ReportData) -> list[str]:
    return sorted({item.sample.benchmark for item in data.items})


def _question_lines(data: ReportData) -> Iterator[str]:
    for benchmark in _benchmarks(data):
        items = [item for item in data.items if item.sample.benchmark == benchmark]
        rows = Counter(story.row for item in items for story in item.chain)
        hops = {row: rows[row] for row in sorted(rows, key=row_order) if row not in {RAW_ROW, RESELECTED_ROW}}
        each = ", ".join(f"{count} at {row}" for row, count in hops.items())
        yield f"{benchmark}: {sum(hops.values())} new questions on {len(items)} samples{f' ({each})' if each else ''}."


def _model_lines(data: ReportData, benchmark: str) -> Iterator[str]:
    """Give a line a model; where no hop has enough pairs, its accuracy on the benchmark's own questions."""
    raw = [
        share
        for share in data.accuracy
        if (share.benchmark, share.judge, share.samples, share.row) == (benchmark, data.judge, "all", RAW_ROW)
    ]
    raw.sort(key=lambda share: -share.accuracy)
    for share in raw[:MOST]:
        comparison = _deepest(data, share)
        line = _compared(comparison) if comparison else _plain(share)
        yield f"{line[:-1]} (by {data.judge})." if len(data.all_judges) > 1 else line
    if len(raw) > MOST:
        yield f"{benchmark}: {len(raw) - MOST} more models below."


def _deepest(data: ReportData, share: AccuracyRow) -> Comparison | None:
    """Return the comparison of the raw questions with the last hop that has enough pairs."""
    place = (share.benchmark, share.model, share.judge, "all", RAW_ROW)
    comparisons = [
        row
        for row in data.results.hops
        if (row.benchmark, row.model, row.judge, row.samples, row.before) == place
        and row.after != RESELECTED_ROW
        and row.figures.pairs >= FEWEST
    ]
    return max(comparisons, key=lambda row: row_order(row.after), default=None)


def _compared(row: Comparison) -> str:
    figures = row.figures
    change, low, high = (round(100 * share) for share in (figures.difference, figures.low, figures.high))
    finding = ("higher" if figures.difference > 0 else "lower") if row.holm < SURE else "may be chance"
    if row.holm >= SURE and low * high > 0:  # the interval is of this comparison alone, Holm's p of all of them
        finding += " among so many comparisons"
    return (
        f"{row.benchmark}, {row.model}: {_percent(figures.share_before)} right on the benchmark's own questions, "
        f"{_percent(figures.share_after)} at {row.after} (the same {figures.pairs} samples; "
        f"{change:+d} points, 95 % interval {low:+d} to {high:+d}): {finding}."
    )


def _plain(share: AccuracyRow) -> str:
    return (
        f"{share.benchmark}, {share.model}: {_percent(share.accuracy)} right on {share.questions} of the benchmark's "
        f"own questions; no hop has {FEWEST} of these samples to compare."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


class TypicalQuestion(NamedTuple):
    """A question that stands for the others: its sample, the first question of its chain, models' answers to it.

    The answers are those with the picture, one a model, with the verdicts of the report's judge.
    """

    item: SampleStory
    story: QuestionStory
    first: QuestionStory
    answers: tuple[JudgedAnswer, ...]


def typical_question(data: ReportData) -> TypicalQuestion | None:
    """Choose a typical question: of the hop with the most questions, the one in the middle by its difficulty.

    The difficulty is the share of models that fail it, of equals the number of key edges, of equals the length of its
    text. Hops go before questions that no hop made, samples with a picture before others. None without questions.
    """
    pairs = [(item, question) for item in data.items for question in item.questions]
    pairs = [pair for pair in pairs if pair[1].hop] or pairs
    if not pairs:
        return None
    counts = Counter(question.hop for _, question in pairs)
    hop = min(counts, key=lambda hop: (-counts[hop], hop))
    pairs = [pair for pair in pairs if pair[1].hop == hop]
    pairs = [pair for pair in pairs if pair[0].pictures] or pairs
    failed = dict(data.item_table.items[["question", "difficulty"]].itertuples(index=False, name=None))
    pairs.sort(key=lambda pair: _difficulty(pair[1], failed.get(pair[1].id, 0.0)))
    item, question = pairs[len(pairs) // 2]
    chain = item.chain
    story = next(story for story in chain if story.question.id == question.id)
    asked = [answer for answer in story.answers if (answer.variant, answer.judge) == (IMAGE, data.judge)]
    answers = {answer.model: answer for answer in reversed(asked)}
    return TypicalQuestion(item, story, chain[0], tuple(answers[model] for model in sorted(answers)[:MOST]))


def _difficulty(question: Question, failed: float) -> tuple[float, int, int, str]:
    return failed, question.difficulty, len(question.text), question.id
