"""How far judges agree with people, people with each other, and judges with each other."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.statistics.intervals import Measurement
from kbe_graph.statistics.rater_agreement import (
    Ratings,
    class_agreement,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent,
)
from kbe_graph.study.judge_sheet import LABELS, Label
from kbe_graph.types import Prediction

PEOPLE, MAJORITY, VOTES = "people", "majority of people", "judges"


class AgreementRow(NamedTuple):
    """How far two raters, or more, agree by one measure; None where there is no figure, and ``note`` says why."""

    between: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    items: int
    note: str = ""


def judge_agreement(
    predictions: Sequence[Prediction],
    labels: Sequence[Label] = (),
    key: Mapping[str, str] | None = None,
    *,
    seed: int = 0,
) -> list[AgreementRow]:
    """Return how far each rater of ``labels`` agrees with each judge, the raters with each other, and judges' votes.

    ``key`` says which prediction an id on a sheet stands for; an id of a prediction stands for itself. Where several
    people labelled, their majority is compared with the judge too; a tie has none. Two are compared by Cohen's kappa,
    more by Fleiss'. Raises InputError for a label of an unknown answer, and where there is nothing to compare.
    """
    by_id = {prediction.id: prediction for prediction in predictions}
    by_prediction = _by_prediction(labels, key or {}, by_id)
    rows = [
        row
        for between, ratings in (*_with_judges(by_prediction, by_id), *_among_votes(predictions))
        for row in agreement_rows(between, ratings, seed=seed)
    ]
    if not rows:
        raise InputError(
            "nothing to compare: no labelled answer was judged, and no answer has several votes; draw a sheet with "
            "`work.people.judge_sheet(FILE)`, or judge with several models"
        )
    return rows


def agreement_rows(between: str, ratings: Ratings, *, seed: int = 0) -> Iterator[AgreementRow]:
    """Give the agreement of raters by each measure, then on each class alone."""
    two = max(map(len, ratings), default=0) == 2
    measurements: tuple[Measurement, ...] = (
        percent(ratings),
        cohen_kappa(ratings) if two else fleiss_kappa(ratings, seed=seed),
        krippendorff_alpha(ratings, classes=LABELS, seed=seed),
        gwet_ac1(ratings, classes=LABELS),
        *(class_agreement(ratings, label, seed=seed) for label in LABELS),
    )
    return (AgreementRow(between, *measurement) for measurement in measurements)


def _by_prediction(
    labels: Sequence[Label], key: Mapping[str, str], by_id: Mapping[str, Prediction]
) -> dict[str, dict[str, str]]:
    """Return what each rater by_prediction, by prediction."""
    by_prediction: dict[str, dict[str, str]] = defaultdict(dict)
    for label in labels:
        id_ = key.get(label.id, label.id)
        if id_ not in by_id:
            place = "" if label.line is None else f"line {label.line}: "
            raise InputError(
                f"{place}no answer {label.id!r} in this workspace; give a sheet of "
                "`work.people.judge_sheet(FILE)`, or ids of answers"
            )
        by_prediction[id_][label.rater] = label.label
    return by_prediction


def _with_judges(
    by_prediction: Mapping[str, Mapping[str, str]], by_id: Mapping[str, Prediction]
) -> Iterator[tuple[str, Ratings]]:
    """Give the ratings of each rater and the majority with each judge, and of the raters among each other."""
    raters = sorted({rater for words in by_prediction.values() for rater in words})
    judges = sorted({by_id[id_].judge for id_ in by_prediction if by_id[id_].verdict})
    for judge in judges:
        judged = [(words, by_id[id_].verdict) for id_, words in by_prediction.items() if by_id[id_].judge == judge]
        name = judge or "the judge"
        for rater in raters:
            yield f"{rater} and {name}", [[words.get(rater), verdict or None] for words, verdict in judged]
        if len(raters) > 1:
            yield f"{MAJORITY} and {name}", [[_majority(words), verdict or None] for words, verdict in judged]
    if len(raters) > 1:
        yield PEOPLE, [[words.get(rater) for rater in raters] for words in by_prediction.values()]


def _majority(words: Mapping[str, str]) -> str | None:
    (first, most), *others = Counter(words.values()).most_common()
    return None if others and others[0][1] == most else first


def _among_votes(predictions: Sequence[Prediction]) -> Iterator[tuple[str, Ratings]]:
    """Give the votes of several judges on the same answers, where there are some."""
    votes = [{vote.judge: vote.verdict or None for vote in prediction.votes} for prediction in predictions]
    judges = sorted({judge for by_judge in votes for judge in by_judge})
    if len(judges) > 1:
        names = ", ".join(judges)
        yield f"{VOTES}: {names}", [[by_judge.get(judge) for judge in judges] for by_judge in votes if by_judge]
