"""Item statistics: the share of models that fail each question, and its relation to the number of key edges."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kbe_graph.figures.outcomes import Rows, judged_by, judges_of, leading_judge, one_judge, plain_row
from kbe_graph.statistics.intervals import Floats
from kbe_graph.statistics.memory import LEAST_PAIRS, MemoryFinding, few_pairs, memory_findings
from kbe_graph.statistics.paired import Correlation, correlation

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class ItemTable:
    """The questions of an evaluation as test items, by the verdicts of one judge.

    ``items`` has one row per question: question, sample, image, hop, kind, key_edges, models (number judged), failing,
    difficulty (share failing) and item_rest (correlation with the rest of the test, NaN if undefined). ``histogram``
    counts the questions that 0, 1, ... all models fail. ``edges`` correlates |E_K| with failure: by model, and under
    ``all`` with the share of failing models; None if undefined.

    >>> sorted(work.answers.evaluation(run="demo").items().summary())
    ['edges', 'histogram', 'judge', 'negative']
    """

    items: "pd.DataFrame"
    histogram: tuple[int, ...]
    edges: Mapping[str, Correlation | None]
    judge: str = ""

    @property
    def negative(self) -> "pd.DataFrame":
        """The items to review, worst first: those that better models fail more often."""
        return self.items[self.items["item_rest"] < 0].sort_values(["item_rest", "question"], ignore_index=True)

    def summary(self) -> dict[str, Any]:
        """Return the judge, the items to review, the histogram and the edges as plain values for JSON."""
        return {
            "judge": self.judge,
            "negative": self.negative["question"].tolist(),
            "histogram": list(self.histogram),
            "edges": {name: edge and edge._asdict() for name, edge in self.edges.items()},
        }


def item_table(
    answers: "pd.DataFrame", *, variant: str = "image", seed: int = 0, judge: str | None = None
) -> ItemTable:
    """Compute the items of a variant from its judged answers; ``answers`` has the form of ``answers_frame``.

    ``judge`` defaults to the one that judged most answers. If a question was asked several times, the first judged
    answer counts. Raises InputError for a judge without verdicts.
    """
    answers = one_judge(answers, judge)
    responses = response_frame(answers, variant)
    items, histogram = _items(answers, responses), failure_histogram(responses.to_numpy())
    return ItemTable(items, histogram, _edges(items, responses, seed), leading_judge(answers))


def response_frame(answers: "pd.DataFrame", variant: str) -> "pd.DataFrame":
    """Return a frame of one row per model and one column per question: 1.0 right, 0.0 wrong, NaN not judged."""
    judged = answers[(answers["variant"] == variant) & answers["right"].notna()].sort_values("run", kind="stable")
    first = judged.drop_duplicates(["model", "question"])
    return first.assign(right=first["right"].astype(float)).pivot_table(
        index="model", columns="question", values="right"
    )


def _items(answers: "pd.DataFrame", responses: "pd.DataFrame") -> "pd.DataFrame":
    matrix = responses.to_numpy()
    about = answers.drop_duplicates("question").set_index("question").reindex(responses.columns)
    items = about[["sample", "image", "hop", "kind", "key_edges"]].reset_index()
    judged = (~np.isnan(matrix)).sum(axis=0)
    return items.assign(
        models=judged,
        failing=judged - np.nansum(matrix, axis=0).astype(int),
        difficulty=difficulty(matrix),
        item_rest=item_rest(matrix),
    )


def _edges(items: "pd.DataFrame", responses: "pd.DataFrame", seed: int) -> dict[str, Correlation | None]:
    edges, images = items["key_edges"], items["image"]
    sides = {"all": items["difficulty"].to_numpy(float)}
    sides |= {str(model): 1 - row.to_numpy(float) for model, row in responses.iterrows()}
    return {name: correlation(edges, side, images, seed=seed) for name, side in sides.items()}


def difficulty(responses: Floats) -> Floats:
    """Return the share of failing models for each question, among those that answered; NaN if none did."""
    answered = (~np.isnan(responses)).sum(axis=0)
    return _ratio(np.nansum(1 - responses, axis=0), answered)


def failure_histogram(responses: Floats) -> tuple[int, ...]:
    """Count the questions that 0, 1, ... all models fail, among those that all answered (WikiVQABench)."""
    complete = responses[:, ~np.isnan(responses).any(axis=0)]
    failures = (1 - complete).sum(axis=0).astype(int)
    return tuple(np.bincount(failures, minlength=len(responses) + 1).tolist())


def item_rest(responses: Floats) -> Floats:
    """Correlate, over models, being right on each question with the share right on all others.

    NaN if all models do the same, or are equally good on the others; negative if better models fail more often.
    """
    counted = ~np.isnan(responses)
    right = np.nan_to_num(responses)
    others = counted.sum(axis=1, keepdims=True) - counted
    rest = _ratio(right.sum(axis=1, keepdims=True) - right, others)
    return _column_correlations(np.where(counted, responses, np.nan), np.where(counted, rest, np.nan))


def _column_correlations(first: Floats, second: Floats) -> Floats:
    n = np.maximum((~np.isnan(first)).sum(axis=0), 1)
    x, y = (side - np.nansum(side, axis=0) / n for side in (first, second))
    squares = np.nansum(x * x, axis=0) * np.nansum(y * y, axis=0)
    return _ratio(np.nansum(x * y, axis=0), np.sqrt(np.where(squares < 1e-15, 0, squares)))


def _ratio(part: Floats, whole: Floats | NDArray[np.int_]) -> Floats:
    ratio: Floats = np.full(np.broadcast(part, whole).shape, np.nan)
    np.divide(part, whole, out=ratio, where=np.asarray(whole) > 0)
    return ratio


WORDINGS = ("image", "paraphrase")  # the variants compared: as published, and reworded


def memory_table(answers: "pd.DataFrame", *, seed: int = 0) -> Rows:
    """Compare each model's accuracy on raw questions as published and as paraphrases, by judge (hop 0 and 0').

    ``answers`` has the form of ``answers_frame``. The comparison covers the models that were asked at least 100
    questions in both wordings, on the questions that all of them were asked. A row has the model, the judge and the
    fields of a ``MemoryFinding``.
    """
    raw = answers[(answers["kind"] == "raw") & (answers["hop"] == 0) & answers["variant"].isin(WORDINGS)]
    judged = {judge: judged_by(raw, judge) for judge in judges_of(raw)} or {"": raw}
    return [
        {"model": model, "judge": judge, **plain_row(finding)}
        for judge, own in judged.items()
        for model, finding in sorted(_findings(own, seed).items())
    ]


def _findings(raw: "pd.DataFrame", seed: int) -> dict[str, MemoryFinding]:
    original, paraphrase = (response_frame(raw, variant) for variant in WORDINGS)
    shared = original.columns.intersection(paraphrase.columns)
    models = sorted(set(raw["model"]))
    both = [frame.reindex(index=models, columns=shared) for frame in (original, paraphrase)]
    counts = (both[0].notna() & both[1].notna()).sum(axis=1)
    enough = [model for model in models if counts[model] >= LEAST_PAIRS]
    original, paraphrase = (frame.loc[enough] for frame in both)
    complete = original.notna().all() & paraphrase.notna().all()
    images = raw.drop_duplicates("question").set_index("question")["image"]
    reckoned = memory_findings(
        original.loc[:, complete].to_numpy(),
        paraphrase.loc[:, complete].to_numpy(),
        images.reindex(shared[complete]).tolist(),
        seed=seed,
    )
    return {model: few_pairs(int(counts[model])) for model in models} | dict(zip(enough, reckoned, strict=True))
