"""What a report says in words: the models' results, a typical question, and what perturbed questions tell."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from kbe_graph.evaluate.accuracy import AccuracyRow
from kbe_graph.evaluate.comparisons import Comparison
from kbe_graph.evaluate.flips import FlipRow
from kbe_graph.evaluate.guessers import RAW_ROW, RESELECTED_ROW
from kbe_graph.evaluate.memory_table import MemoryRow
from kbe_graph.evaluate.outcomes import IMAGE
from kbe_graph.evaluate.surface import CostRow, SurfaceRow
from kbe_graph.show.question_story import JudgedAnswer, QuestionStory
from kbe_graph.show.report_data import ReportData
from kbe_graph.show.sample_story import SampleStory
from kbe_graph.show.tables import most_questions, row_order
from kbe_graph.statistics.paired import PairedDifference
from kbe_graph.types import Question

FEWEST = 10  # pairs of questions that a comparison needs
NBSP = "\N{NO-BREAK SPACE}"
SURE = 0.05  # Holm-corrected p below which a difference is significant
SMALLEST = 0.001  # smallest p printed as a number
MOST = 6  # models shown per benchmark


NOT_IN_OTHER_WORDS = (
    "Unknown: there are no answers to paraphrased raw questions. Run 'kbe evaluate --variant image --variant "
    "paraphrase'."
)
NAMED = 3  # most brittle questions that are listed
NO_HOP = f"no hop was asked on {FEWEST} or more of these samples, so the cost of knowledge is unknown."


class ModelResult(NamedTuple):
    """A model's result: its accuracy by charted row, its change on the same samples, and an interpretation.

    ``basis`` states which samples are compared.
    """

    model: str
    shares: Mapping[str, str]
    change: str
    basis: str
    means: str


class BenchmarkResult(NamedTuple):
    """A benchmark's result: its new questions and its total, a line each, and its models, best first.

    ``rows`` maps each charted row to its number of questions; ``more`` counts the models left out.
    """

    line: str
    total: str
    rows: Mapping[str, int]
    models: tuple[ModelResult, ...]
    more: int


def headline(data: ReportData) -> list[BenchmarkResult]:
    """Summarise a report, one result per benchmark."""
    return [_result(data, benchmark) for benchmark in sorted({item.sample.benchmark for item in data.items})]


def _result(data: ReportData, benchmark: str) -> BenchmarkResult:
    items = [item for item in data.items if item.sample.benchmark == benchmark]
    counts = Counter(story.row for item in items for story in item.chain)
    hops = {row: counts[row] for row in sorted(counts, key=row_order) if row not in {RAW_ROW, RESELECTED_ROW}}
    each = ", ".join(f"{row}: {count}" for row, count in hops.items())
    place = ("all", benchmark, data.judge)
    drawn = [share for share in data.drawn_accuracy if (share.samples, share.benchmark, share.judge) == place]
    raw = [share for share in data.accuracy if (share.samples, share.benchmark, share.judge) == place]
    raw = sorted((share for share in raw if share.row == RAW_ROW), key=lambda share: -share.accuracy)
    rows = sorted({share.row for share in drawn}, key=row_order)
    return BenchmarkResult(
        f"{benchmark}: {sum(hops.values())} new questions on {len(items)} samples{f' ({each})' if each else ''}",
        _total(counts, sum(hops.values())),
        {row: most_questions(drawn, row) for row in rows},
        tuple(_model(data, share, drawn) for share in raw[:MOST]),
        max(0, len(raw) - MOST),
    )


def _total(counts: Mapping[str, int], new: int) -> str:
    parts = {RAW_ROW: counts.get(RAW_ROW, 0), RESELECTED_ROW: counts.get(RESELECTED_ROW, 0), "new": new}
    summands = " + ".join(f"{count} {name}" for name, count in parts.items() if count)
    return f"{summands} = {sum(parts.values())} questions"


def _model(data: ReportData, raw: AccuracyRow, drawn: list[AccuracyRow]) -> ModelResult:
    own = {share.row: percent(share.accuracy) for share in drawn if share.model == raw.model}
    comparison = _compared(data, raw)
    if comparison is None:
        return ModelResult(raw.model, own, "", "", f"too few samples: no hop has {FEWEST} in common with raw")
    figures = comparison.figures
    change, low, high = (f"{100 * share:+.0f}" for share in (figures.difference, figures.low, figures.high))
    return ModelResult(
        raw.model,
        own,
        f"{change} points at {comparison.after} (95{NBSP}% interval {low}{NBSP}to{NBSP}{high})",
        f"on the same {figures.pairs} samples, raw: {percent(figures.share_before)} "
        f"({percent(raw.accuracy)}{NBSP}on{NBSP}all{NBSP}{raw.questions})",
        _meaning(data, comparison),
    )


def _compared(data: ReportData, raw: AccuracyRow) -> Comparison | None:
    place = (raw.benchmark, raw.model, raw.judge, "all", RAW_ROW)
    comparisons = [
        row
        for row in data.results.hops
        if (row.benchmark, row.model, row.judge, row.samples, row.before) == place
        and row.after != RESELECTED_ROW
        and row.figures.pairs >= FEWEST
    ]
    return max(comparisons, key=lambda row: (row.figures.pairs, row_order(row.after)), default=None)


def _meaning(data: ReportData, row: Comparison) -> str:
    figures = row.figures
    family = sum((other.judge, other.samples) == (row.judge, row.samples) for other in data.results.hops)
    after = f"after correction for {family} comparison{'' if family == 1 else 's'} ({_p(row)})"
    if row.holm < SURE:
        return f"significantly {'higher' if figures.difference > 0 else 'lower'} {after}"
    return f"not significant {after}" if figures.low * figures.high > 0 else f"may be due to chance ({_p(row)})"


def _p(row: Comparison) -> str:
    return f"Holm p {row.holm:.2g}" if row.holm >= SMALLEST else f"Holm p below {SMALLEST}"


def percent(share: float) -> str:
    """Format a share as a whole percentage.

    >>> percent(0.84).replace("\N{NO-BREAK SPACE}", " ")
    '84 %'
    """
    return f"{100 * share:.0f}{NBSP}%"


class TypicalQuestion(NamedTuple):
    """A representative question with its sample, the first question of its chain, and models' answers.

    The answers are to the question with its picture, one per model, with the verdicts of the report's judge.
    """

    item: SampleStory
    story: QuestionStory
    first: QuestionStory
    answers: tuple[JudgedAnswer, ...]


def typical_question(data: ReportData) -> TypicalQuestion | None:
    """Choose a typical question: the one of median difficulty at the hop with the most questions.

    Questions are ordered by the share of models that fail them, then the number of key edges, then the length of the
    text. Explored questions take precedence over hop 0, and samples with a picture over those without. Returns None if
    there are no questions.
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
    figures = row.figures
    return (
        f"surface {_points(row.surface)} points (mean of {_count(row.operations, 'operation')}), {row.hop} "
        f"{_points(row.knowledge)} points on the same {_count(figures.pairs, 'sample')}; difference "
        f"{_change(figures)}: {f'{row.dearer} costs more' if row.dearer else 'no clear difference'}."
    )


def _operation_sentences(rows: list[SurfaceRow]) -> Iterator[str]:
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
