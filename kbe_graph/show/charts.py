"""Charts of a report, for its page and for files, in colours safe for colour-blind readers and dark mode."""

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.show.report_data import ReportData
from kbe_graph.show.tables import most_questions, row_order
from kbe_graph.statistics import FEWEST
from kbe_graph.text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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
    """Draw the charts of a report, omitting rows with too few questions."""
    guesses = [
        DrawnShare("", guesser, row.row, figure.share, figure.low, figure.high)
        for row in (data.guesses.rows if data.guesses else ())
        for guesser, figure in row.guessers.items()
        if figure.questions >= FEWEST
    ]
    about = f"Accuracy of each model by hop, with 95{NBSP}% intervals; n: number of questions.{FEW}"
    blind = f"Share of questions answered correctly without the picture, with 95{NBSP}% intervals.{FEW}"
    drawn = (
        _share_chart("accuracy", "Accuracy by hop", about, list(_accuracy_points(data)), "right, %"),
        _difficulty_chart(data),
        _share_chart("guesses", "Guessed without the picture", blind, guesses, "guessed, %"),
    )
    return [chart for chart in drawn if chart]


def _accuracy_points(data: ReportData) -> Iterator[DrawnShare]:
    shares = [share for share in data.drawn_accuracy if share.samples == "all"]
    for share in sorted(
        shares, key=lambda row: (row.judge != data.judge, row.judge, row.benchmark, row_order(row.row))
    ):
        judge = f", by {share.judge}" if len(data.all_judges) > 1 else ""
        panel = [row for row in shares if (row.benchmark, row.judge) == (share.benchmark, share.judge)]
        place = f"{share.row}\nn = {most_questions(panel, share.row)}"
        yield DrawnShare(share.benchmark + judge, share.model, place, share.accuracy, share.low, share.high)


def _difficulty_chart(data: ReportData) -> Chart | None:
    import pandas as pd

    frame = pd.DataFrame(data.difficulty, columns=["row", "failing", "questions"])
    counts = frame.groupby("row")["questions"].transform("sum")
    frame = frame.assign(share=100 * frame["questions"] / counts)[counts >= FEWEST]
    if frame.empty:
        return None
    groups = list(dict.fromkeys(frame["row"]))
    shares = frame.pivot_table(index="failing", columns="row", values="share")[groups].rename(columns=_words)
    about = f"Share of each row's questions that none, one, ... or all of the {len(data.models)} models fail.{FEW}"
    with _style():
        drawing, (panel,) = _panels(1)
        colours: list[Any] = [COLOURS[place % len(COLOURS)] for place in range(len(groups))]
        shares.plot.bar(ax=panel, color=colours, width=0.8, rot=0, legend=False)
        panel.set(xlabel="models that fail a question", ylabel="questions of the row, %")
        _draw_legend(drawing, panel, groups)
    return Chart("difficulty", "Difficulty of the questions", about, drawing)


def _share_chart(name: str, title: str, about: str, shares: Sequence[DrawnShare], unit: str) -> Chart | None:
    """Draw shares as points with intervals, in stacked panels; panels, lines and places keep the given order."""
    if not shares:
        return None
    titles, lines = (list(dict.fromkeys(names)) for names in zip(*(share[:2] for share in shares), strict=True))
    with _style():
        drawing, panels = _panels(len(titles))
        for panel, head in zip(panels, titles, strict=True):
            places = list(dict.fromkeys(share.place for share in shares if share.panel == head))
            for number, line in enumerate(lines):
                own = [share for share in shares if (share.panel, share.line) == (head, line)]
                shift = min(0.07, 0.8 / len(lines)) * (number - (len(lines) - 1) / 2)
                ends = [
                    [100 * (share.share - share.low) for share in own],
                    [100 * (share.high - share.share) for share in own],
                ]
                panel.errorbar(
                    [places.index(share.place) + shift for share in own],
                    [100 * share.share for share in own],
                    ends,
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
        _draw_legend(drawing, panels[0], lines)
    return Chart(name, title, about, drawing)


def _panels(count: int) -> tuple["Drawing", list["Axes"]]:
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(4.8, 3 * count + 0.6), layout="constrained")
    return drawing, list(drawing.subplots(count, 1, squeeze=False)[:, 0])


def _draw_legend(drawing: "Drawing", panel: "Axes", names: Sequence[str]) -> None:
    columns = max(1, min(4, 60 // max(len(name) + 6 for name in names)))
    drawing.legend(*panel.get_legend_handles_labels(), loc="outside lower center", ncols=columns, frameon=False)


def _words(name: str) -> str:
    return (NBSP if name.startswith("_") else "") + visible(name).replace("$", r"\$")  # neither hidden nor a formula


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
