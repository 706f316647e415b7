"""Plots of statistics as SVG files that are identical on every run."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.extras import require_extra

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

SHOWN = 20  # maximum bars of a plot
SQUARE = 12  # maximum rows and columns of a heat map
LONGEST = 32  # maximum letters of a name
POINTS = 200  # maximum points of a plot


class Plot(NamedTuple):
    """How a statistic is drawn: the function, the columns it uses, and the title."""

    draw: "Callable[[Axes, pd.DataFrame, tuple[str, ...]], None]"
    columns: tuple[str, ...]
    title: str


def draw_statistic(name: str, frame: "pd.DataFrame", folder: Path) -> Path:
    """Draw a statistic into a folder, created if needed, and return the file.

    Raises InputError for a statistic that is not in ``PLOTS``, a frame without rows, or a folder that is not writable.
    """
    require_extra("figures")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    if name not in PLOTS:
        raise InputError(f"no plot of {name!r}; choose from {', '.join(PLOTS)}")
    if frame.empty:
        raise InputError(f"nothing to plot of {name!r}: it has no rows")
    plot, file = PLOTS[name], folder / f"{name}.svg"
    with mpl.rc_context({"svg.hashsalt": "kbe", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(7.2, 4.2), layout="constrained")
        axes = figure.subplots()
        axes.set_title(plot.title)
        plot.draw(axes, frame, plot.columns)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            figure.savefig(file, metadata={"Date": None})
        except OSError as error:
            raise InputError(f"cannot write {str(file)!r}: {error.strerror}; choose another folder") from None
    return file


def _logarithmic(axes: "Axes", frame: "pd.DataFrame", columns: tuple[str, ...]) -> None:
    import numpy as np

    x, counted, law = columns
    places = np.unique(np.geomspace(1, len(frame), POINTS).astype(int)) - 1
    frame = frame.iloc[places]
    axes.loglog(frame[x], frame[counted], "o", markersize=3, label=f"{counted}, as counted")
    axes.loglog(frame[x], frame[law], "-", label=f"{law.capitalize()}'s law, fitted")
    axes.set_xlabel(x)
    axes.set_ylabel(counted)
    axes.legend()


def _bars(axes: "Axes", frame: "pd.DataFrame", columns: tuple[str, ...]) -> None:
    *names, length = columns
    shown = frame.head(SHOWN).iloc[::-1]
    labels = [_short(", ".join(_text(cell) for cell in row)) for row in shown[names].to_numpy()]
    axes.barh(range(len(shown)), shown[length])
    axes.set_yticks(range(len(shown)), labels)
    axes.set_xlabel(length)


def _squares(axes: "Axes", frame: "pd.DataFrame", columns: tuple[str, ...]) -> None:
    row, column, value = columns
    square = frame.pivot_table(index=row, columns=column, values=value, fill_value=0)
    rows = square.sum(axis=1).nlargest(SQUARE).index
    names = square.loc[rows].sum(axis=0).nlargest(SQUARE).index
    picture = axes.imshow(square.loc[rows, names].to_numpy(float), cmap="Blues", aspect="auto")
    axes.set_xticks(range(len(names)), [_short(name) for name in names], rotation=45, ha="right")
    axes.set_yticks(range(len(rows)), [_short(name) for name in rows])
    axes.set_xlabel(column)
    axes.set_ylabel(row)
    axes.figure.colorbar(picture, ax=axes, label=value)


def _text(cell: object) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _short(name: str) -> str:
    shown = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
    return shown.replace("$", r"\$")


PLOTS: Mapping[str, Plot] = {
    "questions": Plot(_bars, ("benchmark", "kind", "hop", "key edges"), "Key edges by hop"),
    "difficulty": Plot(_bars, ("benchmark", "kind", "hop", "key edges", "questions"), "Questions by key edges"),
    "relations": Plot(_logarithmic, ("rank", "share", "zipf"), "Relations by rank"),
    "growth": Plot(_logarithmic, ("triplets", "relations", "heaps"), "Relations and triplets"),
    "hops": Plot(_bars, ("hop", "new"), "New relations by hop"),
    "pairs": Plot(_squares, ("relation", "other", "samples"), "Relations in one sample"),
    "chains": Plot(_squares, ("relation", "next", "pairs"), "Which relation follows which"),
    "objects": Plot(_bars, ("relation", "share"), "Share of the commonest object, by relation"),
    "types": Plot(_squares, ("type", "relation", "triplets"), "Entity types by relation"),
    "families": Plot(_bars, ("relation", "other", "similarity"), "Relations that may be near-synonyms"),
    "compare": Plot(_bars, ("relation", "difference"), "Difference of shares, second less first"),
}
