"""All figures of an evaluation, computed from the frame of answers; the table of items."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kbe_graph.brief import brief
from kbe_graph.figures import accuracy, comparisons, pairs
from kbe_graph.figures.accuracy import AccuracyRow
from kbe_graph.figures.comparisons import Comparison, compare
from kbe_graph.figures.outcomes import (
    CELL,
    Rows,
    balanced,
    judged_by,
    judges_of,
    leading_judge,
    one_judge,
    outcomes,
    plain_row,
    rows_by,
    with_rows,
)
from kbe_graph.scoring.score_rules import SCORE_RULES, GroundTruth, ground_truth
from kbe_graph.statistics.intervals import Floats, clustered_error
from kbe_graph.statistics.memory import LEAST_PAIRS, MemoryFinding, few_pairs, memory_findings
from kbe_graph.statistics.paired import Correlation, can_test, correlation
from kbe_graph.types import FORMS, LINKS, Question, Sample

if TYPE_CHECKING:
    import pandas as pd


@brief(table="accuracy: samples model judge variant row questions accuracy low high")
@dataclass(frozen=True, slots=True)
class Results:
    """The figures of an evaluation, each a table of rows; shares and differences are 0 to 1, not percentages.

    ``hops``, ``models`` and ``variants`` are paired differences; ``power`` is the power of those of hops and models.
    ``gain`` is that from the picture and ``composition`` the gap between a question and its links, both by shape and
    depth. ``circular`` holds the shares right in every rotation of the options, ``stability`` the shares answered the
    same in every run. ``pairs`` score questions with their twins, by shape, and ``groups`` two pairs about the same two
    pictures (NaturalBench). Each judge has its own rows. Perturbed questions are compared in ``surface_table``.

    >>> sorted(work.answers.evaluation(run="demo").results().as_mapping())[:3]
    ['accuracy', 'answered', 'chains']
    """

    accuracy: tuple[AccuracyRow, ...]
    hops: tuple[Comparison, ...]
    models: tuple[Comparison, ...]
    variants: tuple[Comparison, ...]
    trends: Rows
    chains: Rows
    right_after_wrong: Rows
    errors: Rows
    gain: Rows
    composition: Rows
    difficulty: Rows
    tokens: Rows
    answered: Rows
    power: Rows
    circular: Rows
    stability: Rows
    pairs: Rows
    groups: Rows

    def as_mapping(self) -> dict[str, list[dict[str, Any]]]:
        """Return all figures as plain values for JSON: a list of flat rows by name; an undefined value is None."""
        return {field.name: [plain_row(row) for row in getattr(self, field.name)] for field in fields(self)}


def results(answers: "pd.DataFrame", *, seed: int = 0, tests: bool = True) -> Results:
    """Compute all figures from a frame of answers (see ``answers_frame``); ``seed`` is that of the bootstraps.

    Without ``tests``, trends and power are left out; also without the extra ``figures``, and a warning says so. Raises
    InputError if the questions come from more than one evolution.
    """
    rows = with_rows(answers)
    links, rows = rows[rows["variant"] == LINKS], rows[rows["variant"] != LINKS]
    own = outcomes(rows)
    level = balanced(own)
    hops = compare(comparisons.between_hops(own), seed=seed)
    models = compare(comparisons.between_models(own), seed=seed)
    has_scipy = tests and bool(hops or models or len({*own["hop"]}) > 1) and can_test()
    trends: Rows = []
    if has_scipy:
        trends = accuracy.trend_rows(own, "all", seed=seed) + accuracy.trend_rows(level, "balanced", seed=seed)
    return Results(
        accuracy=(*accuracy.accuracy_rows(own, rows, "all"), *accuracy.accuracy_rows(level, rows, "balanced")),
        hops=(*hops, *compare(comparisons.between_hops(level), "balanced", seed=seed)),
        models=tuple(models),
        variants=tuple(compare(comparisons.between_variants(own), seed=seed)),
        trends=trends,
        chains=accuracy.chain_rows(own),
        right_after_wrong=accuracy.right_after_wrong(own),
        errors=accuracy.error_rows(own),
        gain=accuracy.gain_rows(own, seed=seed),
        composition=accuracy.composition_rows(own, outcomes(links), seed=seed),
        difficulty=accuracy.difficulty_rows(own, seed=seed),
        tokens=accuracy.token_rows(rows),
        answered=accuracy.answered_rows(rows),
        power=comparisons.power_rows([*hops, *models]) if has_scipy else [],
        circular=accuracy.circular_rows(rows),
        stability=accuracy.stability_rows(rows),
        pairs=pairs.pair_rows(rows),
        groups=pairs.group_rows(rows),
    )


def score_rows(
    answers: "pd.DataFrame",
    questions: Mapping[str, Question],
    samples: Mapping[str, Sample],
    rules: Iterable[str],
) -> Rows:
    """Compute each model's mean score, 0 to 1, by rules of ``SCORE_RULES``, with its error clustered by image.

    ``answers`` has the form of ``answers_frame``; ``questions`` and ``samples`` are keyed by id. A question counts as
    its mean over runs; questions that a rule does not apply to are left out, and those in other forms, because the
    rules score free-text answers. Raises InputError for an unknown rule.
    """
    import pandas as pd

    chosen = {name: SCORE_RULES.require(name) for name in rules}
    answers = with_rows(answers[~answers["variant"].isin((*FORMS, LINKS))])
    truths = truths_of(answers, questions, samples)
    rows: Rows = []
    for name, rule in chosen.items():
        pairs = zip(answers["text"], truths, strict=True)
        scores = pd.Series([rule.score(text, truth) for text, truth in pairs], answers.index, dtype="Float64")
        scored = answers.assign(score=scores.astype(float)).dropna(subset="score")
        means = scored.groupby([*CELL, "question", "image"], sort=False)["score"].mean().reset_index()
        rows += ({"rule": name, **row} for row in rows_by(means, CELL, _mean_score))
    return rows


def _mean_score(means: "pd.DataFrame") -> dict[str, Any]:
    error = clustered_error(means["score"], means["image"])
    return {"questions": len(means), "score": float(means["score"].mean()), "error": error}


def truths_of(
    answers: "pd.DataFrame", questions: Mapping[str, Question], samples: Mapping[str, Sample]
) -> list[GroundTruth]:
    """Return the right answers for each row of ``answers``, given how its question was asked."""
    asked = list(zip(answers["question"], answers["variant"], strict=True))
    truths = {
        (id_, variant): ground_truth(questions[id_], samples[questions[id_].sample], variant)
        for id_, variant in set(asked)
    }
    return [truths[each] for each in asked]


@brief()
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
