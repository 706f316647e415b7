"""Charts of a report, for its page and for files, in colours safe for colour-blind readers and dark mode."""

import io
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.evaluate.accuracy import AccuracyRow
from kbe_graph.pages.report_values import DifficultyBar, RelationGrowth, ReportData, most_questions, row_order
from kbe_graph.statistics.shares import FEWEST
from kbe_graph.text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing
    from matplotlib.lines import Line2D

COLOURS = ("#2077b4", "#d1600a", "#12896a", "#b8588f", "#8c7a00", "#7a6fd0")
"""Distinguishable by colour-blind readers, with a contrast of 3:1 on white; a page overrides them in dark mode."""
MARKERS = "osD^vP"
INK = "#010203"  # used for nothing else, so that a page can replace it with its text colour
LONGEST = 28  # characters of a name
STYLE: dict[Any, Any] = {
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color", "axes.edgecolor"), INK),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#808080",
    "grid.alpha": 0.3,
    "axes.axisbelow": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "kbe",
}
NBSP = "\N{NO-BREAK SPACE}"
_FEW = f"Rows with fewer than {FEWEST} questions are omitted."
_ID = re.compile(r'(\bid="|url\(#|href="#)')


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing with its file name, its title, and a description for readers who cannot see it."""

    name: str
    title: str
    about: str
    drawing: "Drawing"


def charts(data: ReportData) -> list[Chart]:
    """Draw the charts of a report, omitting those with too few questions."""
    with _style():
        return [*_drawn(data)]


def _drawn(data: ReportData) -> Iterator[Chart]:
    shares = data.drawn_accuracy
    if own := [share for share in shares if share.judge == data.judge]:
        yield Chart("accuracy", "Accuracy by hop", _about_accuracy(data, own), _draw_accuracy(data, own))
    if others := [share for share in shares if share.judge != data.judge]:
        title = "Accuracy by hop, by other judges"
        yield Chart("accuracy-other-judges", title, _about_accuracy(data, others), _draw_accuracy(data, others))
    if data.relations:
        yield _relations(data.relations)
    if bars := _drawn_bars(data.difficulty):
        chart = difficulty_chart(bars, len(data.models))
        yield replace(chart, about=f"{chart.about} {_FEW}")
    if guesses := _drawn_guesses(data):
        about = f"Share of questions answered correctly without the picture, with 95{NBSP}% intervals. {_FEW}"
        yield Chart("guesses", "Guessed without the picture", about, _draw_lines(guesses, "guessed, %"))


def _about_accuracy(data: ReportData, shares: Sequence[AccuracyRow]) -> str:
    """Describe the accuracy chart, including the rows it omits."""
    drawn = {share.row for share in shares}
    counts = Counter(story.row for item in data.items for story in item.chain)
    missing = [f"{row}: {counts[row]}" for row in sorted(set(counts) - drawn, key=row_order)]
    level = any(share.samples == "balanced" for share in shares)
    dashed = "; dashed: only the samples that have a question in every row" if level else ""
    left_out = f" Omitted because fewer than {FEWEST} questions were judged: {', '.join(missing)}." if missing else ""
    return f"Accuracy of each model by hop, with 95{NBSP}% intervals; n: number of questions{dashed}.{left_out}"


def svg(chart: Chart) -> str:
    """Render a chart as SVG, with identical bytes for identical charts."""
    stream = io.StringIO()
    with _style(), _any_letters():
        chart.drawing.savefig(stream, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    return stream.getvalue()


def inline_svg(chart: Chart) -> str:
    """Render a chart as SVG to embed in a page, in the page's colours and with ids prefixed by the chart's name."""
    text = svg(chart)
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    for number, colour in enumerate(COLOURS, 1):
        text = text.replace(colour, f"var(--chart{number}, {colour})")
    return _ID.sub(rf"\g<1>{chart.name}-", text)


def png(chart: Chart) -> bytes:
    """Render a chart as PNG on a white background."""
    stream = io.BytesIO()
    with _style(), _any_letters():
        chart.drawing.savefig(stream, format="png", dpi=200, facecolor="white", metadata={"Software": None})
    return stream.getvalue()


def _draw_accuracy(data: ReportData, shares: Sequence[AccuracyRow]) -> "Drawing":
    places = sorted({(share.benchmark, share.judge) for share in shares})
    drawing, panels = _panels(len(places))
    for panel, (benchmark, judge) in zip(panels, places, strict=True):
        own = [share for share in shares if (share.benchmark, share.judge) == (benchmark, judge)]
        rows = sorted({share.row for share in own}, key=row_order)
        panel.set_title(_words(benchmark) + (f", by {_words(judge)}" if len(data.all_judges) > 1 else ""))
        panel.set_xticks(range(len(rows)), [f"{row}\nn = {most_questions(own, row)}" for row in rows])
        for number, model in enumerate(data.models):
            shift = 0.07 * (number - (len(data.models) - 1) / 2)
            line = [share for share in own if share.model == model]
            _draw_shares(panel, [share for share in line if share.samples == "all"], rows, number, shift)
            _draw_balanced(panel, [share for share in line if share.samples == "balanced"], rows, number, shift)
        panel.set_ylabel("right, %")
        panel.set_ylim(0, 103)
    _draw_legend(drawing, [_handle(number) for number in range(len(data.models))], data.models)
    return drawing


def _draw_shares(panel: "Axes", shares: Sequence[AccuracyRow], rows: Sequence[str], number: int, shift: float) -> None:
    heights = [100 * share.accuracy for share in shares]
    ends = [
        [100 * (share.accuracy - share.low) for share in shares],
        [100 * (share.high - share.accuracy) for share in shares],
    ]
    places = [rows.index(share.row) + shift for share in shares]
    panel.errorbar(places, heights, ends, capsize=2, elinewidth=1, **_look(number))


def _draw_balanced(
    panel: "Axes", shares: Sequence[AccuracyRow], rows: Sequence[str], number: int, shift: float
) -> None:
    places = [rows.index(share.row) + shift for share in shares]
    panel.plot(places, [100 * share.accuracy for share in shares], "--", linewidth=1, color=_look(number)["color"])


def _relations(relations: Sequence[RelationGrowth]) -> Chart:
    drawing, (panel,) = _panels(1)
    benchmarks = sorted({growth.benchmark for growth in relations})
    rows = sorted({growth.row for growth in relations}, key=row_order)
    for number, benchmark in enumerate(benchmarks):
        growths = [growth for growth in relations if growth.benchmark == benchmark]
        panel.plot(
            [rows.index(growth.row) for growth in growths], [growth.relations for growth in growths], **_look(number)
        )
    panel.set_xticks(range(len(rows)), rows)
    panel.set_ylabel("different relations")
    panel.set_ylim(bottom=0)
    _draw_legend(drawing, [_handle(number) for number in range(len(benchmarks))], benchmarks)
    about = "Number of different relations in the key subgraphs of each row."
    return Chart("relations", "Relations by hop", about, drawing)


def _drawn_bars(difficulty: Sequence[DifficultyBar]) -> list[DifficultyBar]:
    counts: Counter[str] = Counter()
    for bar in difficulty:
        counts[bar.row] += bar.questions
    return [bar for bar in difficulty if counts[bar.row] >= FEWEST]


def difficulty_chart(difficulty: Sequence[DifficultyBar], models: int) -> Chart:
    """Draw a histogram of questions by the number of models that fail them (WikiVQABench, Figure 3)."""
    with _style():
        drawing = _draw_difficulty(difficulty, models)
    about = "Share of each row's questions that none, one, ... or all of the models fail."
    return Chart("difficulty", "Difficulty of the questions", about, drawing)


def _draw_difficulty(difficulty: Sequence[DifficultyBar], models: int) -> "Drawing":
    drawing, (panel,) = _panels(1)
    rows = sorted({bar.row for bar in difficulty}, key=row_order)
    width = 0.8 / len(rows)
    for number, row in enumerate(rows):
        bars = [bar for bar in difficulty if bar.row == row]
        whole = sum(bar.questions for bar in bars) or 1
        places = [bar.failing + (number - (len(rows) - 1) / 2) * width for bar in bars]
        panel.bar(places, [100 * bar.questions / whole for bar in bars], width, color=_look(number)["color"])
    panel.set_xticks(range(models + 1))
    panel.set_xlabel("models that fail a question")
    panel.set_ylabel("questions of the row, %")
    _draw_legend(drawing, [_handle(number, bar=True) for number in range(len(rows))], rows)
    return drawing


def _drawn_guesses(data: ReportData) -> "list[DrawnShare]":
    return [
        DrawnShare("", guesser, row.row, figure.share, figure.low, figure.high)
        for row in (data.guesses.rows if data.guesses else ())
        for guesser, figure in row.guessers.items()
        if figure.questions >= FEWEST
    ]


class DrawnShare(NamedTuple):
    """A share with its interval, and where to draw it: panel, line, and place on the x axis."""

    panel: str
    line: str
    place: str
    share: float
    low: float
    high: float


def share_chart(chart: str, title: str, about: str, shares: Sequence[DrawnShare]) -> Chart:
    """Draw accuracies as points with intervals, in stacked panels; panels, lines and places keep the given order."""
    with _style():
        return Chart(chart, title, about, _draw_lines(shares, "right, %", linestyle="none"))


def _draw_lines(shares: Sequence[DrawnShare], unit: str, **look: str) -> "Drawing":
    titles = list(dict.fromkeys(share.panel for share in shares))
    lines = list(dict.fromkeys(share.line for share in shares))
    drawing, panels = _panels(len(titles))
    for panel, title in zip(panels, titles, strict=True):
        own = [share for share in shares if share.panel == title]
        places = list(dict.fromkeys(share.place for share in own))
        for number, line in enumerate(lines):
            shift = min(0.07, 0.8 / len(lines)) * (number - (len(lines) - 1) / 2)
            points = [(places.index(share.place) + shift, share) for share in own if share.line == line]
            _draw_points(panel, points, {**_look(number), **look})
        panel.set_title(_words(title))
        panel.set_xticks(range(len(places)), [_words(place).replace(" ", "\n") for place in places])
        panel.set_xmargin(0.5 / len(places))
        panel.set_ylabel(unit)
    _draw_legend(drawing, [_handle(number) for number in range(len(lines))], lines)
    return drawing


def _draw_points(panel: "Axes", points: Sequence[tuple[float, DrawnShare]], look: Mapping[str, Any]) -> None:
    heights = [100 * share.share for _, share in points]
    ends = [
        [100 * (share.share - share.low) for _, share in points],
        [100 * (share.high - share.share) for _, share in points],
    ]
    panel.errorbar([place for place, _ in points], heights, ends, capsize=2, elinewidth=1, **look)


def _look(number: int) -> dict[str, Any]:
    """Return the colour and marker of a line; the first 36 combinations are distinct."""
    turn, place = divmod(number, len(COLOURS))
    marker = MARKERS[(place + turn) % len(MARKERS)]
    return {"color": COLOURS[place], "marker": marker, "markersize": 5, "linewidth": 1.5}


def _handle(number: int, *, bar: bool = False) -> "Line2D":
    from matplotlib.lines import Line2D

    if bar:
        return Line2D([], [], color=_look(number)["color"], marker="s", markersize=8, linestyle="none")
    return Line2D([], [], **_look(number))


def _panels(count: int) -> tuple["Drawing", list["Axes"]]:
    """Create a drawing of ``count`` stacked panels, narrow enough for a phone."""
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(4.8, 3 * count + 0.6), layout="constrained")
    return drawing, list(drawing.subplots(count, 1, squeeze=False)[:, 0])


def _draw_legend(drawing: "Drawing", handles: Sequence["Line2D"], names: Sequence[str]) -> None:
    """Draw the legend below the panels."""
    columns = max(1, min(4, 60 // max(len(name) + 6 for name in names)))
    drawing.legend(handles, list(map(_words, names)), loc="outside lower center", ncols=columns, frameon=False)


def _words(name: str) -> str:
    """Shorten and escape a name, so that matplotlib neither parses it as math nor drops it from a legend."""
    shown = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
    return (NBSP if shown.startswith("_") else "") + visible(shown).replace("$", r"\$")


@contextmanager
def _style() -> Iterator[None]:
    import matplotlib as mpl

    with mpl.rc_context(STYLE):
        yield


@contextmanager
def _any_letters() -> Iterator[None]:
    """Suppress the warning about glyphs that the font lacks; they are drawn as boxes."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")
        yield
