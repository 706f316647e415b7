"""Doubt scores of questions, computed from stored results, so that reviewers see the most doubtful first.

A question's score is the weighted sum of its signs. A weight is about the natural logarithm of the likelihood ratio
between bad and good questions, for signs that err as often as models do: an inspector that is wrong about one question
in five separates bad from good by 4 to 1 (1.4), and two that agree by 16 to 1 (2.8).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from kbe_graph.review.material import ReviewMaterial, read_material
from kbe_graph.review.state import QuestionState, ReviewedItem, first_version
from kbe_graph.statistics.items import item_rest
from kbe_graph.store import Store
from kbe_graph.text import fold
from kbe_graph.types import RAW, Question, question_id

LEAST_MODELS = 3  # with fewer, all of them, or the better one, fail by chance too often
MANY_ALTERNATIVES = 3  # as many as the test without the image requires


class Signals(NamedTuple):
    """The stored results on a question that may show it to be bad; None if not measured.

    ``denials`` counts the inspectors, of ``inspections``, that said no to something. ``guessed`` and ``raw_guessed``
    are the shares of right guesses without the image, for the question and for its sample's raw question. ``failing``
    counts the models, of ``models``, that fail it, and ``item_rest`` is the correlation between success on it and on
    the other questions. ``faulty`` means that a check found a fault in its fact. ``unsourced`` counts facts without a
    source, and ``alternatives`` the other entities that its words allow and that have an answer.
    """

    question: str
    disputed: bool = False
    inspections: int = 0
    denials: int = 0
    guessed: float | None = None
    raw_guessed: float | None = None
    models: int = 0
    failing: int = 0
    item_rest: float | None = None
    faulty: bool | None = None
    unsourced: int = 0
    alternatives: int | None = None


class Sign(NamedTuple):
    """A sign that a question is bad: its name, its weight, its rationale, and the function for its strength, 0 to 1."""

    name: str
    weight: float
    why: str
    strength: Callable[[Signals], float]


class Doubt(NamedTuple):
    """A question's score and the names of its signs, heaviest first."""

    question: str
    score: float
    signs: tuple[str, ...]


def _denied(signals: Signals) -> float:
    return signals.denials / signals.inspections if signals.inspections else 0.0


def _reversed(signals: Signals) -> float:
    if signals.item_rest is None or signals.models < LEAST_MODELS:
        return 0.0
    return min(1.0, max(0.0, -signals.item_rest * sqrt(signals.models - 1) / 2))


def _failed(signals: Signals) -> float:
    return float(signals.models >= LEAST_MODELS and signals.failing == signals.models)


def _narrow(signals: Signals) -> float:
    if signals.alternatives is None:
        return 0.0
    return max(0.0, 1 - signals.alternatives / MANY_ALTERNATIVES)


SIGNS = (
    Sign("reviewers differ", 3.0, "another person needs to settle it", lambda each: float(each.disputed)),
    Sign(
        "an inspector says no",
        2.5,
        "a model that read the question found a fault; scaled by the share of such inspectors",
        _denied,
    ),
    Sign("a fact without a source", 1.5, "no opened source confirms it", lambda each: float(each.unsourced > 0)),
    Sign("all models fail it", 1.5, "the answer may be wrong, unless the question is hard", _failed),
    Sign("better models fail it", 1.5, "the models that know more disagree with the answer", _reversed),
    Sign(
        "a check found fault",
        1.5,
        "it has several answers, or does not need the picture or the fact",
        lambda each: float(bool(each.faulty)),
    ),
    Sign("guessed without the picture", 1.5, "the picture may not be needed", lambda each: each.guessed or 0.0),
    Sign("inspectors differ", 0.5, "one of them is wrong", lambda each: float(0 < each.denials < each.inspections)),
    Sign("few other answers", 0.5, "the wording fits few things, which gives the answer away", _narrow),
    Sign(
        "raw question guessed",
        0.5,
        "the chain starts from something that does not have to be seen",
        lambda each: each.raw_guessed or 0.0,
    ),
)
"""All signs. Reviewers weigh most, then models that read the question, then single measurements."""


def order(signals: Iterable[Signals]) -> list[str]:
    """Sort the ids of questions, most doubtful first; ties are sorted by id."""
    return [doubt.question for doubt in doubts(signals)]


def doubts(signals: Iterable[Signals]) -> list[Doubt]:
    """Compute the score and the signs of each question, most doubtful first."""
    return sorted(map(_doubt, signals), key=lambda doubt: (-doubt.score, doubt.question))


def _doubt(signals: Signals) -> Doubt:
    shares = [(sign.weight * sign.strength(signals), sign.name) for sign in SIGNS]
    shown = sorted((share for share in shares if share[0] > 0), key=lambda share: -share[0])
    return Doubt(signals.question, round(sum(weight for weight, _ in shown), 6), tuple(name for _, name in shown))


def read_signals(
    store: Store,
    run: str | None = None,
    states: Mapping[str, QuestionState] | None = None,
    *,
    benchmark: str | None = None,
) -> list[Signals]:
    """Read the signals of a run's questions, or of the raw ones if no run is given; raises InputError.

    ``states`` are the states by question, if already known.
    """
    return signals_of(read_material(store, run, states, benchmark=benchmark))


def signals_of(material: ReviewMaterial) -> list[Signals]:
    """Compute the signals of the questions, in their order.

    Inspections and guesses of earlier wordings are ignored.
    """
    inspections, guessed, answered = _inspections(material), _guessed(material), _answered(material)
    faulty = {candidate.question: candidate.faulty for candidate in material.candidates}
    return [
        Signals(
            question.id,
            _is_disputed(material.states.get(question.id)),
            *inspections[question.id],
            guessed.get(question.id),
            guessed.get(question_id(question.sample, RAW, 0)) if question.run != RAW else None,
            faulty=faulty.get(question.id),
            unsourced=sum(triplet.unsourced for triplet in question.key),
            alternatives=_alternatives(material, question),
            **answered.get(question.id, AnswerSignals())._asdict(),
        )
        for question in material.questions
    ]


class AnswerSignals(NamedTuple):
    """The number of models judged on a question, of those that fail it, and its item-rest correlation."""

    models: int = 0
    failing: int = 0
    item_rest: float | None = None


def _inspections(material: ReviewMaterial) -> Mapping[str, tuple[int, int]]:
    wordings = material.wordings
    counts: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for inspection in material.inspections:
        if wordings.get(inspection.question) == (inspection.text, inspection.answer):
            number, denials = counts[inspection.question]
            counts[inspection.question] = number + 1, denials + bool(inspection.no)
    return counts


def doubtful_first(
    items: Iterable[ReviewedItem], states: Mapping[str, QuestionState], doubts: Sequence[Doubt]
) -> list[ReviewedItem]:
    """Sort questions: first those that need a reviewer, and among them the most doubtful ones."""
    rank = {doubt.question: place for place, doubt in enumerate(doubts)}
    return sorted(
        items,
        key=lambda item: (not states[item.question.id].missing, rank.get(first_version(item.question.id), len(rank))),
    )


def _guessed(material: ReviewMaterial) -> dict[str, float]:
    wordings = material.wordings
    rights: dict[str, list[bool]] = defaultdict(list)
    for guess in material.guesses:
        if guess.kind == "raw" or wordings.get(guess.question) == (guess.text, guess.answer):
            rights[guess.question].append(guess.right)
    return {id_: sum(right) / len(right) for id_, right in rights.items()}


def _answered(material: ReviewMaterial) -> dict[str, AnswerSignals]:
    if not any(prediction.verdict for prediction in material.predictions):
        return {}
    from kbe_graph.evaluate.item_table import response_frame
    from kbe_graph.evaluate.outcomes import answers_frame, one_judge

    questions = {question.id: question for question in material.questions}
    responses = response_frame(one_judge(answers_frame(material.predictions, questions, material.samples)), "image")
    matrix = responses.to_numpy()
    judged = (~np.isnan(matrix)).sum(axis=0)
    failing = judged - np.nansum(matrix, axis=0).astype(int)
    figures = zip(responses.columns, judged.tolist(), failing.tolist(), item_rest(matrix).tolist(), strict=True)
    return {id_: AnswerSignals(models, fail, None if np.isnan(rest) else rest) for id_, models, fail, rest in figures}


def _is_disputed(state: QuestionState | None) -> bool:
    return state is not None and state.state == "disputed"


def _alternatives(material: ReviewMaterial, question: Question) -> int | None:
    named = material.alternatives.get(question.id)
    if not named:
        return None
    return len({fold(alternative.answer) for alternative in named if alternative.answer} - {fold(question.answer)})
