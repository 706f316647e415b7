"""Charts of a report, for its page and for files, in colours safe for colour-blind readers and dark mode."""

import io
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.evaluate.accuracy import AccuracyRow
from kbe_graph.show.report_data import DifficultyBar, ReportData
from kbe_graph.show.tables import most_questions, row_order
from kbe_graph.statistics.shares import FEWEST
from kbe_graph.text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

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
_ID = re.compile(r'(\bid="|url\(#|href="#)')


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing with its file name, its title, and a description for readers who cannot see it."""

    name: str
    title: str
    about: str
    drawing: "Drawing"


class DrawnShare(NamedTuple):
    """A share with its interval, and where to draw it: panel, line, and place on the x axis."""

    panel: str
    line: str
    place: str
    share: float
    low: float
    high: float


class DrawnBar(NamedTuple):
    """A bar, and where to draw it: its group, which has a colour, and its place on the x axis."""

    group: str
    place: str
    height: float


def charts(data: ReportData) -> list[Chart]:
    """Draw the charts of a report, omitting rows with too few questions."""
    return [*_drawn(data)]


def _drawn(data: ReportData) -> Iterator[Chart]:
    shares = [share for share in data.drawn_accuracy if share.samples == "all"]
    few = f" Rows with fewer than {FEWEST} questions are omitted."
    if shares:
        about = f"Accuracy of each model by hop, with 95{NBSP}% intervals; n: number of questions.{few}"
        points = [*_accuracy_points(data, shares)]
        yield share_chart("accuracy", "Accuracy by hop", about, points, linestyle="-")
    if data.relations:
        bars = [DrawnBar(growth.benchmark, growth.row, growth.relations) for growth in data.relations]
        about = "Number of different relations in the key subgraphs of each row."
        yield bar_chart("relations", "Relations by hop", about, bars, "", "different relations")
    counts: Counter[str] = Counter()
    for bar in data.difficulty:
        counts[bar.row] += bar.questions
    if enough := [bar for bar in data.difficulty if counts[bar.row] >= FEWEST]:
        yield difficulty_chart(enough, len(data.models), few)
    if guesses := [*_guess_points(data)]:
        about = f"Share of questions answered correctly without the picture, with 95{NBSP}% intervals.{few}"
        yield share_chart("guesses", "Guessed without the picture", about, guesses, "guessed, %", linestyle="-")


def _accuracy_points(data: ReportData, shares: Sequence[AccuracyRow]) -> Iterator[DrawnShare]:
    own_first = sorted(shares, key=lambda row: (row.judge != data.judge, row.judge, row.benchmark, row_order(row.row)))
    for share in own_first:
        judge = f", by {share.judge}" if len(data.all_judges) > 1 else ""
        panel = [row for row in shares if (row.benchmark, row.judge) == (share.benchmark, share.judge)]
        place = f"{share.row}\nn = {most_questions(panel, share.row)}"
        yield DrawnShare(share.benchmark + judge, share.model, place, share.accuracy, share.low, share.high)


def _guess_points(data: ReportData) -> Iterator[DrawnShare]:
    for row in data.guesses.rows if data.guesses else ():
        for guesser, figure in row.guessers.items():
            if figure.questions >= FEWEST:
                yield DrawnShare("", guesser, row.row, figure.share, figure.low, figure.high)


def difficulty_chart(difficulty: Sequence[DifficultyBar], models: int, omitted: str = "") -> Chart:
    """Draw a histogram of questions by the number of models that fail them (WikiVQABench, Figure 3)."""
    rows: Counter[str] = Counter()
    for bar in difficulty:
        rows[bar.row] += bar.questions
    bars = [DrawnBar(bar.row, str(bar.failing), 100 * bar.questions / (rows[bar.row] or 1)) for bar in difficulty]
    about = f"Share of each row's questions that none, one, ... or all of the {models} models fail.{omitted}"
    labels = ("models that fail a question", "questions of the row, %")
    return bar_chart("difficulty", "Difficulty of the questions", about, bars, *labels)


def bar_chart(name: str, title: str, about: str, bars: Sequence[DrawnBar], across: str, up: str) -> Chart:
    """Draw bars side by side at each place; groups and places keep the given order."""
    groups, places = (list(dict.fromkeys(names)) for names in zip(*(bar[:2] for bar in bars), strict=True))
    width = 0.8 / len(groups)
    with _style():
        drawing, (panel,) = _panels(1)
        for number, group in enumerate(groups):
            own = [bar for bar in bars if bar.group == group]
            shift = (number - (len(groups) - 1) / 2) * width
            starts = [places.index(bar.place) + shift for bar in own]
            colour = COLOURS[number % len(COLOURS)]
            panel.bar(starts, [bar.height for bar in own], width, color=colour, label=_words(group))
        panel.set_xticks(range(len(places)), places)
        panel.set_xlabel(across)
        panel.set_ylabel(up)
        _draw_legend(drawing, panel, groups)
    return Chart(name, title, about, drawing)


def share_chart(
    name: str, title: str, about: str, shares: Sequence[DrawnShare], unit: str = "right, %", *, linestyle: str = "none"
) -> Chart:
    """Draw shares as points with intervals, in stacked panels; panels, lines and places keep the given order."""
    titles, lines = (list(dict.fromkeys(names)) for names in zip(*(share[:2] for share in shares), strict=True))
    with _style():
        drawing, panels = _panels(len(titles))
        for panel, head in zip(panels, titles, strict=True):
            own = [share for share in shares if share.panel == head]
            places = list(dict.fromkeys(share.place for share in own))
            for number, line in enumerate(lines):
                shift = min(0.07, 0.8 / len(lines)) * (number - (len(lines) - 1) / 2)
                points = [(places.index(share.place) + shift, share) for share in own if share.line == line]
                _draw_points(panel, points, {**_look(number), "label": _words(line), "linestyle": linestyle})
            panel.set_title(_words(head))
            panel.set_xticks(range(len(places)), ["\n".join(map(_words, place.split("\n"))) for place in places])
            panel.set_xmargin(0.5 / len(places))
            panel.set_ylabel(unit)
        _draw_legend(drawing, panels[0], lines)
    return Chart(name, title, about, drawing)


def _draw_points(panel: "Axes", points: Sequence[tuple[float, DrawnShare]], look: Mapping[str, Any]) -> None:
    heights = [100 * share.share for _, share in points]
    ends = [
        [100 * (share.share - share.low) for _, share in points],
        [100 * (share.high - share.share) for _, share in points],
    ]
    panel.errorbar([place for place, _ in points], heights, ends, capsize=2, elinewidth=1, **look)


def _look(number: int) -> dict[str, Any]:
    turn, place = divmod(number, len(COLOURS))
    marker = MARKERS[(place + turn) % len(MARKERS)]
    return {"color": COLOURS[place], "marker": marker, "markersize": 5, "linewidth": 1.5}


def _panels(count: int) -> tuple["Drawing", list["Axes"]]:
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(4.8, 3 * count + 0.6), layout="constrained")
    return drawing, list(drawing.subplots(count, 1, squeeze=False)[:, 0])


def _draw_legend(drawing: "Drawing", panel: "Axes", names: Sequence[str]) -> None:
    columns = max(1, min(4, 60 // max(len(name) + 6 for name in names)))
    drawing.legend(*panel.get_legend_handles_labels(), loc="outside lower center", ncols=columns, frameon=False)


def _words(name: str) -> str:
    shown = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
    return (NBSP if shown.startswith("_") else "") + visible(shown).replace("$", r"\$")


def svg(chart: Chart) -> str:
    """Render a chart as SVG, with identical bytes for identical charts."""
    stream = io.StringIO()
    with _style():
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
    with _style():
        chart.drawing.savefig(stream, format="png", dpi=200, facecolor="white", metadata={"Software": None})
    return stream.getvalue()


@contextmanager
def _style() -> Iterator[None]:
    """Apply the style, and suppress the warning about glyphs that the font lacks, which are drawn as boxes."""
    import matplotlib as mpl

    with mpl.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")
        yield
