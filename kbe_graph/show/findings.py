"""What a report says first: the models' results on each benchmark, and a typical question."""

from collections import Counter
from typing import NamedTuple

from kbe_graph.evaluate.accuracy import AccuracyRow
from kbe_graph.evaluate.outcomes import RAW_ROW, RESELECTED_ROW
from kbe_graph.show.question_story import QuestionStory
from kbe_graph.show.report_data import ReportData
from kbe_graph.show.tables import FlatTable, most_questions, row_order

FEWEST = 10  # pairs of questions that a comparison needs
SURE = 0.05  # Holm-corrected p below which a difference is significant


class BenchmarkResult(NamedTuple):
    """A benchmark's questions in a line, and its models, best first, with their shares and their change."""

    line: str
    models: FlatTable


def headline(data: ReportData) -> list[BenchmarkResult]:
    """Summarise a report, one result per benchmark."""
    return [_result(data, benchmark) for benchmark in sorted({item.sample.benchmark for item in data.items})]


def _result(data: ReportData, benchmark: str) -> BenchmarkResult:
    items = [item for item in data.items if item.sample.benchmark == benchmark]
    counts = Counter(story.row for item in items for story in item.chain)
    each = ", ".join(f"{row}: {counts[row]}" for row in sorted(counts, key=row_order))
    place = ("all", benchmark, data.judge)
    drawn = [share for share in data.drawn_accuracy if (share.samples, share.benchmark, share.judge) == place]
    raw = [share for share in data.accuracy if (share.samples, share.benchmark, share.judge) == place]
    raw = sorted((share for share in raw if share.row == RAW_ROW), key=lambda share: -share.accuracy)
    shown = sorted({share.row for share in drawn}, key=row_order)
    shares = {(share.model, share.row): f"{100 * share.accuracy:.0f} %" for share in drawn}
    heads = ("model", *(f"{row} (n = {most_questions(drawn, row)})" for row in shown), "change on the same samples", "")
    rows = [[own.model, *(shares.get((own.model, row), "") for row in shown), *_change(data, own)] for own in raw]
    new = counts.total() - counts[RAW_ROW] - counts[RESELECTED_ROW]
    line = f"{benchmark}: {new} new questions on {len(items)} samples ({each})"
    return BenchmarkResult(line, FlatTable("headline", line, heads, rows))


def _change(data: ReportData, raw: AccuracyRow) -> tuple[str, str]:
    """Compare raw questions with the hop that has the most pairs on the same samples, and say what that means."""
    family = [row for row in data.results.hops if (row.judge, row.samples) == (raw.judge, "all")]
    place = (raw.benchmark, raw.model, RAW_ROW)
    own = [row for row in family if (row.benchmark, row.model, row.before) == place and row.after != RESELECTED_ROW]
    own = [row for row in own if row.figures.pairs >= FEWEST]
    if not own:
        return "", f"too few samples: no hop has {FEWEST} in common with raw"
    row = max(own, key=lambda row: (row.figures.pairs, row_order(row.after)))
    figures = row.figures
    change, low, high = (f"{100 * share:+.0f}" for share in (figures.difference, figures.low, figures.high))
    change = f"{change} points at {row.after} (95 % interval {low} to {high}), {figures.pairs} samples"
    direction = "higher" if figures.difference > 0 else "lower"
    means = f"significantly {direction}" if row.holm < SURE else "may be due to chance"
    return change, f"{means} (Holm p {max(row.holm, 0.001):.2g}, {len(family)} comparisons)"


def typical_question(data: ReportData) -> QuestionStory | None:
    """Choose the question of median difficulty at the hop with the most questions, None if there are no questions.

    Difficulty is the share of models that fail it, then the number of key edges. Samples with a picture take
    precedence.
    """
    pairs = [(item, story) for item in data.items for story in item.chain]
    pairs = [pair for pair in pairs if pair[1].question.hop] or pairs
    pairs = [pair for pair in pairs if pair[0].pictures] or pairs
    if not pairs:
        return None
    counts = Counter(story.question.hop for _, story in pairs)
    hop = min(counts, key=lambda hop: (-counts[hop], hop))
    failed = dict(data.item_table.items[["question", "difficulty"]].itertuples(index=False, name=None))
    stories = [story for _, story in pairs if story.question.hop == hop]
    stories.sort(key=lambda story: (failed.get(story.question.id, 0.0), story.question.difficulty, story.question.id))
    return stories[len(stories) // 2]
