"""Flips: how often a changed surface changes a model's answer, and how that relates to errors."""

from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.evaluate.guessers import row_of
from kbe_graph.evaluate.outcomes import IMAGE, MODEL, PARAPHRASE, groups
from kbe_graph.statistics.intervals import clustered_wilson
from kbe_graph.statistics.items import correlation
from kbe_graph.text import fold
from kbe_graph.types import VARIANTS

if TYPE_CHECKING:
    import pandas as pd


class FlipRow(NamedTuple):
    """Stability of a model's answers under harmless changes, and its relation to accuracy (2511.11206).

    ``askings`` counts answers under a changed surface. ``flips`` is the share of them that differs from the answer to
    the unchanged question by more than case, articles and punctuation: the mean over questions, with its 95 % interval.
    A question is ``stable`` if it never flips, otherwise ``brittle``; ``stable_right`` and ``brittle_right`` are the
    shares right, None if nothing was judged. ``r`` correlates being right with the share of askings that do not flip;
    None if either is constant.
    """

    benchmark: str
    model: str
    judge: str
    row: str
    questions: int
    askings: int
    flips: float
    low: float
    high: float
    stable: int
    stable_right: float | None
    stable_low: float | None
    stable_high: float | None
    brittle: int
    brittle_right: float | None
    brittle_low: float | None
    brittle_high: float | None
    r: float | None
    r_low: float | None
    r_high: float | None


def answer_flips(answers: "pd.DataFrame") -> "pd.DataFrame":
    """Compute one row per model and question that was asked both unchanged and under a changed surface.

    ``answers`` has the form of ``answers_frame``. Columns: benchmark, model, row, question, image, askings (one per
    operation and seed, plus paraphrases), flips (the share of these with a different answer). Neither an answer key nor
    a judge is needed.
    """
    texts = answers.assign(text=answers["text"].map(fold)).sort_values("run", kind="stable")
    plain = texts[texts["variant"] == IMAGE].drop_duplicates(["model", "question"])
    harmless = texts[~texts["variant"].isin(VARIANTS) | (texts["variant"] == PARAPHRASE)]
    pairs = harmless.merge(plain[["model", "question", "text"]], on=["model", "question"], suffixes=("", "_plain"))
    by_question = pairs.assign(flips=(pairs["text"] != pairs["text_plain"]).astype(float)).groupby(
        [*MODEL, "hop", "kind", "question"]
    )
    table = by_question.agg(image=("image", "first"), askings=("flips", "size"), flips=("flips", "mean")).reset_index()
    rows = [row_of(kind, hop) for kind, hop in zip(table["kind"], table["hop"], strict=True)]
    return table.assign(row=rows)[[*MODEL, "row", "question", "image", "askings", "flips"]]


def item_flips(answers: "pd.DataFrame") -> "pd.DataFrame":
    """Return the mean of ``flips`` over models and the sum of their ``askings``, by question."""
    by_question = answer_flips(answers).groupby("question")
    return by_question.agg(flips=("flips", "mean"), askings=("askings", "sum"))


def flip_rows(answers: "pd.DataFrame", outcomes: "pd.DataFrame", *, seed: int = 0) -> list[FlipRow]:
    """Compute a FlipRow for each benchmark, model, judge and row; ``outcomes`` are those of ``answers``.

    The judge is empty if nobody judged.
    """
    plain = outcomes.loc[outcomes["variant"] == IMAGE, ["model", "judge", "question", "right"]]
    flips = answer_flips(answers).merge(plain, on=["model", "question"], how="left").fillna({"judge": ""})
    return [_flip_row(place, group, seed) for place, group in groups(flips, [*MODEL, "judge", "row"])]


def _flip_row(place: tuple[str, ...], group: "pd.DataFrame", seed: int) -> FlipRow:
    benchmark, model, judge, row = place
    flips, right, images = group["flips"], group["right"].to_numpy(float), group["image"].tolist()
    stable, brittle = group[flips == 0], group[flips > 0]
    relation = correlation(1 - flips.to_numpy(float), right, images, seed=seed)
    counts = len(group), int(group["askings"].sum())
    return FlipRow(
        *(benchmark, model, judge, row),
        *counts,
        float(flips.mean()),
        *clustered_wilson(flips, group["image"]),
        len(stable),
        *_share_right(stable),
        len(brittle),
        *_share_right(brittle),
        *(relation[:3] if relation else (None, None, None)),
    )


def _share_right(group: "pd.DataFrame") -> tuple[float | None, float | None, float | None]:
    judged = group.dropna(subset="right")
    if judged.empty:
        return None, None, None
    right = judged["right"].astype(float)
    return (float(right.mean()), *clustered_wilson(right, judged["image"]))
