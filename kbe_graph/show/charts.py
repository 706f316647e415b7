"""Charts of a report, for its page and for files, in colours safe for colour-blind readers and dark mode."""

import io
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.extras import has_extra
from kbe_graph.figures.outcomes import row_order
from kbe_graph.show.report_data import ReportData
from kbe_graph.statistics import FEWEST
from kbe_graph.text import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

COLOURS = ("#2077b4", "#d1600a", "#12896a", "#b8588f", "#8c7a00", "#7a6fd0")
"""Distinguishable by colour-blind readers, with a contrast of 3:1 on white; a page overrides them in dark mode."""
MARKERS = "osD^vP"
INK = "#010203"  # used for nothing else, so that a page can replace it with its text colour
STYLE: dict[Any, Any] = {
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color", "axes.edgecolor"), INK),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right"), False),
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#808080",
    "grid.alpha": 0.3,
    "axes.axisbelow": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "kbe",
}
NBSP = "\N{NO-BREAK SPACE}"
FEW = f" Rows with fewer than {FEWEST} questions are omitted."
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


def charts(data: ReportData) -> list[Chart]:
    """Draw the charts of a report, omitting rows with too few questions; none without the extra ``figures``."""
    guesses = [
        DrawnShare("", guesser, row.row, figure.share, figure.low, figure.high)
        for row in (data.guesses.rows if data.guesses else ())
        for guesser, figure in row.guessers.items()
        if figure.questions >= FEWEST
    ]
    rounds = [
        DrawnShare("", each.model, f"round {own.number}\nn = {own.figures[0].questions}", *each[2:5])
        for own in data.rounds
        for each in own.figures
        if each.questions >= FEWEST
    ]
    by_round = f"Accuracy of each model by round, with 95{NBSP}% intervals; n: number of questions.{FEW}"
    about = f"Accuracy of each model by hop, with 95{NBSP}% intervals; n: number of questions.{FEW}"
    blind = f"Share of questions answered correctly without the picture, with 95{NBSP}% intervals.{FEW}"
    drawn = (
        ("accuracy", "Accuracy by hop", about, _accuracy_points(data), "right, %"),
        ("rounds", "Accuracy by round", by_round, rounds, "right, %"),
        ("guesses", "Guessed without the picture", blind, guesses, "guessed, %"),
    )
    return [
        Chart(name, title, about, _drawing(shares, unit))
        for name, title, about, shares, unit in drawn
        if shares and has_extra("figures")
    ]


def _accuracy_points(data: ReportData) -> list[DrawnShare]:
    shares = [share for share in data.drawn_accuracy if share.samples == "all"]
    shares.sort(key=lambda row: (row.judge != data.judge, row.judge, row.benchmark, row_order(row.row)))
    most: Counter[tuple[str, ...]] = Counter()
    for row in shares:
        place = row.benchmark, row.judge, row.row
        most[place] = max(most[place], row.questions)
    return [
        DrawnShare(
            row.benchmark + (f", by {row.judge}" if len(data.all_judges) > 1 else ""),
            row.model,
            f"{row.row}\nn = {most[row.benchmark, row.judge, row.row]}",
            *(row.accuracy, row.low, row.high),
        )
        for row in shares
    ]


def _drawing(shares: Sequence[DrawnShare], unit: str) -> "Drawing":
    """Draw shares as points with intervals, in stacked panels; panels, lines and places keep the given order."""
    from matplotlib.figure import Figure as Drawing

    titles, lines = (list(dict.fromkeys(names)) for names in zip(*(share[:2] for share in shares), strict=True))
    with _style():
        drawing = Drawing(figsize=(4.8, 3 * len(titles) + 0.6), layout="constrained")
        panels = drawing.subplots(len(titles), 1, squeeze=False)[:, 0]
        for panel, head in zip(panels, titles, strict=True):
            places = list(dict.fromkeys(share.place for share in shares if share.panel == head))
            for number, line in enumerate(lines):
                own = [share for share in shares if (share.panel, share.line) == (head, line)]
                shift = min(0.07, 0.8 / len(lines)) * (number - (len(lines) - 1) / 2)
                panel.errorbar(
                    [places.index(share.place) + shift for share in own],
                    [100 * share.share for share in own],
                    [[100 * (s.share - s.low) for s in own], [100 * (s.high - s.share) for s in own]],
                    color=COLOURS[number % len(COLOURS)],
                    marker=MARKERS[(number + number // len(COLOURS)) % len(MARKERS)],
                    label=_words(line),
                    linestyle="-",
                    capsize=2,
                    elinewidth=1,
                    markersize=5,
                )
            panel.set(title=_words(head), ylabel=unit)
            panel.set_xticks(range(len(places)), ["\n".join(map(_words, place.split("\n"))) for place in places])
            panel.set_xmargin(0.5 / len(places))
        columns = max(1, min(4, 60 // max(len(name) + 6 for name in lines)))
        legend = panels[0].get_legend_handles_labels()
        drawing.legend(*legend, loc="outside lower center", ncols=columns, frameon=False)
    return drawing


def _words(name: str) -> str:
    return (NBSP if name.startswith("_") else "") + visible(name).replace("$", r"\$")  # neither hidden nor a formula


MAKER = "kbe_graph"  # in each file of a chart, by which it is known as ours


def svg(chart: Chart) -> str:
    """Render a chart as SVG, with identical bytes for identical charts."""
    stream = io.StringIO()
    with _style():
        chart.drawing.savefig(stream, format="svg", metadata={"Date": None, "Creator": MAKER}, transparent=True)
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
        chart.drawing.savefig(stream, format="png", dpi=200, facecolor="white", metadata={"Software": MAKER})
    return stream.getvalue()


@contextmanager
def _style() -> Iterator[None]:
    """Apply the style, and suppress the warning about glyphs that the font lacks, which are drawn as boxes."""
    import matplotlib as mpl

    with mpl.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")
        yield
