"""Figures of models' answers: accuracy by question class, and the number of models that fail each question."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.evaluate.outcomes import groups, leading_judge, one_judge, outcomes, with_rows
from kbe_graph.show.report_data import DifficultyBar, difficulty
from kbe_graph.statistics.intervals import clustered_wilson
from kbe_graph.wiki.answer_classes import ANSWER_TYPES, CATEGORIES, FIRST_WORDS, OTHER
from kbe_graph.wiki.question_classes import QuestionClass

if TYPE_CHECKING:
    import pandas as pd


SPLITS = ("overall", "first word", "answer type", "category", "predicate")
"""Classifications by which accuracy is split."""
_PAPER = (*(name for name in FIRST_WORDS + ANSWER_TYPES + CATEGORIES if name != OTHER), OTHER)


class ClassAccuracy(NamedTuple):
    """A model's accuracy on the questions of one class, with its 95 % interval.

    ``by`` is the classification: overall, first word, answer type, category or predicate. A question counts as its mean
    over runs.
    """

    model: str
    by: str
    name: str
    questions: int
    accuracy: float
    low: float
    high: float


class DifficultyMean(NamedTuple):
    """Mean number of models that fail a question of a row, and the questions failed by none and by all."""

    row: str
    models: int
    questions: int
    mean: float
    by_none: int
    by_all: int


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """Accuracy and difficulty by the verdicts of one ``judge`` on answers of one ``variant``; empty without answers."""

    accuracy: tuple[ClassAccuracy, ...] = ()
    difficulty: tuple[DifficultyBar, ...] = ()
    judge: str = ""
    variant: str = ""

    @property
    def models(self) -> tuple[str, ...]:
        """The judged models, sorted by name."""
        return tuple(sorted({row.model for row in self.accuracy}))

    @property
    def means(self) -> tuple[DifficultyMean, ...]:
        """The mean difficulty of each row, over questions on which every model was judged."""
        return tuple(_means(self.difficulty, len(self.models)))


NO_ANSWERS = AnswerFigures()


def answer_figures(
    answers: "pd.DataFrame",
    classes: Sequence[QuestionClass],
    *,
    variant: str | None = None,
    judge: str | None = None,
) -> AnswerFigures:
    """Compute the figures from a frame of judged answers (see ``answers_frame``).

    ``judge`` defaults to the one that judged most answers, ``variant`` to the one with most of its verdicts. Raises
    InputError for a judge without verdicts, a variant without judged answers, and questions of several runs.
    """
    own = one_judge(answers, judge)
    judged = own[own["right"].notna()]
    if judged.empty:
        return NO_ANSWERS
    variants = [str(name) for name in judged["variant"].value_counts().index]
    chosen = variants[0] if variant is None else variant
    if chosen not in variants:
        raise InputError(f"no judged answer has the variant {chosen!r}; choose from {', '.join(map(repr, variants))}")
    asked = judged[judged["variant"] == chosen]
    accuracy = tuple(_accuracy(outcomes(with_rows(asked)), classes))
    return AnswerFigures(accuracy, difficulty(asked, chosen), judge or leading_judge(answers), chosen)


def _accuracy(outcome: "pd.DataFrame", classes: Sequence[QuestionClass]) -> Iterator[ClassAccuracy]:
    ranked = outcome.assign(mean=outcome.groupby("model")["right"].transform("mean"))
    for by, names in _splits(classes).items():
        frame = ranked.assign(name=ranked["question"].map(names))
        frame["place"] = frame["name"].map(_order(frame["name"]))
        frame = frame.sort_values(["mean", "model", "place"], ascending=[False, True, True], kind="stable")
        for (model, name), group in groups(frame[frame["name"] != ""], ["model", "name"]):
            low, high = clustered_wilson(group["right"], group["image"])
            yield ClassAccuracy(model, by, name, len(group), float(group["right"].mean()), low, high)


def _order(names: "pd.Series[str]") -> dict[str, int]:
    counts = Counter(names)
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    return {name: place for place, name in enumerate(dict.fromkeys((*_PAPER, *ordered)))}


def _splits(classes: Iterable[QuestionClass]) -> dict[str, dict[str, str]]:
    splits: dict[str, dict[str, str]] = {by: {} for by in SPLITS}
    for each in classes:
        names = ("all", each.first_word, each.answer_type, each.category.name, each.predicate)
        for by, name in zip(SPLITS, names, strict=True):
            splits[by][each.question] = name
    return splits


def _means(bars: Iterable[DifficultyBar], models: int) -> Iterator[DifficultyMean]:
    counts: dict[str, dict[int, int]] = defaultdict(dict)
    for bar in bars:
        counts[bar.row][bar.failing] = bar.questions
    for row, by_failing in counts.items():
        questions = sum(by_failing.values())
        failures = sum(failing * count for failing, count in by_failing.items())
        if questions:
            ends = by_failing.get(0, 0), by_failing.get(models, 0)
            yield DifficultyMean(row, models, questions, failures / questions, *ends)
