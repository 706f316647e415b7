"""Accuracy of guessing without the picture: answers, and options."""

import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from kbe_graph.errors import KbeWarning
from kbe_graph.evaluate.guessers import LEARNERS, PARTS, BlindQuestion, by_row, commonest_other, cross_fitted
from kbe_graph.models.loop import batches, gather_all
from kbe_graph.seeds import seed_of
from kbe_graph.statistics import wilson
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.session import ModelSession
from kbe_graph.steps.tasks import GUESS_BATCH, ModelGuesser
from kbe_graph.text import fold
from kbe_graph.types import Form, Question, QuestionForm

Key = TypeVar("Key")
Asked = TypeVar("Asked")
MODEL_STEP = "guess"


class TopShare(NamedTuple):
    """Share of the commonest answer among questions of the same run and hop with the same last relation, or chain."""

    relation: float
    chain: float


def top_shares(questions: Iterable[Question]) -> dict[str, TopShare]:
    """Compute the TopShare of each explored question that was kept, by question id."""
    asked = [question for question in questions if question.kind == "explored" and question.status == "kept"]
    groups = {question.id: _groups(question) for question in asked}
    counts = _counts((group, fold(question.answer)) for question in asked for group in set(groups[question.id]))
    shares = {group: _top(answers)[1] for group, answers in counts.items()}
    return {id_: TopShare(*(shares[group] for group in own)) for id_, own in groups.items()}


def _groups(question: Question) -> tuple[object, ...]:
    chain = tuple(triplet.relation for triplet in question.explored)
    return tuple((question.run, question.hop, relations) for relations in (chain[-1:], chain))


def _counts(pairs: Iterable[tuple[Key, str]]) -> dict[Key, Counter[str]]:
    counts: dict[Key, Counter[str]] = defaultdict(Counter)
    for key, answer in pairs:
        counts[key][answer] += 1
    return counts


def _top(counts: Counter[str]) -> tuple[str, float]:
    answer = min(counts, key=lambda answer: (-counts[answer], answer))
    return answer, round(counts[answer] / counts.total(), 4)


GUESSERS = ("majority", *PARTS, "nearest", "linear")
MODEL = "model"


class Figure(NamedTuple):
    """Number of correct guesses, of questions, the share correct, and its 95 % interval.

    If several options tie, the guesser is credited with the expected value of a random choice among them.
    """

    right: float
    questions: int
    share: float
    low: float
    high: float


def blind(questions: Sequence[Asked], guesser: Callable[[Sequence[Asked]], Iterable[float]]) -> Figure:
    """Measure a guesser that sees no picture; it returns for each question the chance that its guess is right."""
    right = sum(guesser(questions))
    low, high = wilson(right, len(questions))
    share = round(right / len(questions), 4)
    return Figure(round(right, 2), len(questions), share, round(low, 4), round(high, 4))


class OptionRow(NamedTuple):
    """Chance level and guesser figures for the questions of one form whose options have one maker.

    ``maker`` is the benchmark, rules, or a model. If several options are right, a guess names one of them.
    """

    maker: str
    form: Form
    questions: int
    chance: float
    guessers: Mapping[str, Figure]


@dataclass(frozen=True, slots=True)
class GuessRow:
    """Accuracy of each guesser on one row: the raw questions, the re-selected ones, or those of a hop."""

    row: str
    questions: int
    answers: int
    guessers: Mapping[str, Figure]


@dataclass(frozen=True, slots=True)
class Guesses:
    """Accuracy of guessing by row.

    ``awaits`` lists the files of calls whose replies the model's figures still need; ``options`` is the accuracy of
    guessing among the options if questions are multiple choice.

    >>> guesses = work.stats.guess("demo")
    >>> [row.row for row in guesses.rows][:1], sorted(guesses.rows[0].guessers)
    (['raw'], ['linear', 'majority', 'nearest'])
    """

    rows: tuple[GuessRow, ...]
    awaits: tuple[Path, ...] = ()
    options: tuple[OptionRow, ...] = ()

    def as_mapping(self) -> dict[str, Any]:
        """Return all fields as plain values for JSON.

        >>> sorted(work.stats.guess("demo").as_mapping())
        ['awaits', 'options', 'rows']
        """
        rows = [
            asdict(row) | {"guessers": {name: figure._asdict() for name, figure in row.guessers.items()}}
            for row in self.rows
        ]
        options = [
            row._asdict() | {"guessers": {name: figure._asdict() for name, figure in row.guessers.items()}}
            for row in self.options
        ]
        return {"rows": rows, "awaits": [str(file) for file in self.awaits], "options": options}


def guess(
    blind_questions: Iterable[BlindQuestion],
    *,
    replies: Mapping[str, str] = MappingProxyType({}),
    guessers: Sequence[str] = GUESSERS,
) -> Guesses:
    """Measure how often each of the ``guessers`` answers correctly without the picture.

    Guessers learn from the other questions of the same row. ``replies`` maps question texts to a model's answers
    without pictures; the model's figures cover only these questions.
    """
    rows = by_row(blind_questions)
    return Guesses(
        tuple(
            _row(row, asked, _figures(asked, guessers) | _model_figure(asked, replies)) for row, asked in rows.items()
        )
    )


def _row(row: str, asked: Sequence[BlindQuestion], figures: Mapping[str, Figure]) -> GuessRow:
    return GuessRow(row, len(asked), len({blind_question.answer for blind_question in asked}), figures)


def _figures(asked: Sequence[BlindQuestion], guessers: Sequence[str]) -> dict[str, Figure]:
    has_chain = any(blind_question.chain for blind_question in asked)
    names = [name for name in guessers if has_chain or name not in PARTS]
    return {name: blind(asked, partial(_are_right, guesses=_guesses(name, asked))) for name in names}


def _guesses(name: str, asked: Sequence[BlindQuestion]) -> list[str]:
    return commonest_other(PARTS[name], asked) if name in PARTS else cross_fitted(LEARNERS[name], asked)


def _model_figure(asked: Sequence[BlindQuestion], replies: Mapping[str, str]) -> dict[str, Figure]:
    heard = [blind_question for blind_question in asked if blind_question.text in replies]
    guesses = [replies[blind_question.text] for blind_question in heard]
    return {MODEL: blind(heard, partial(_are_right, guesses=guesses))} if heard else {}


def _are_right(asked: Sequence[BlindQuestion], guesses: Sequence[str]) -> list[bool]:
    return [fold(guess) in blind_question.right for blind_question, guess in zip(asked, guesses, strict=True)]


class _Seen(NamedTuple):
    """What a guesser knows of all questions: how often each answer is right, and at which position."""

    answers: Counter[str]
    places: Counter[int]


Scores = Callable[[QuestionForm, _Seen], Sequence[float]]
"""Function that scores each option; the highest score is the guess."""


def _commonest(form: QuestionForm, seen: _Seen) -> list[float]:
    return [seen.answers[fold(option)] - (option in form.answers) for option in form.options]


def _longest(form: QuestionForm, _: _Seen) -> list[float]:
    return [len(option) for option in form.options]


def _position(form: QuestionForm, seen: _Seen) -> list[float]:
    return [seen.places[place] for place in range(len(form.options))]


OPTION_GUESSERS: Mapping[str, Scores] = {
    "commonest": _commonest,
    "longest": _longest,
    "position": _position,
}


def guess_options(
    forms: Iterable[QuestionForm], guessers: Mapping[str, Scores] = OPTION_GUESSERS
) -> tuple[OptionRow, ...]:
    """Measure the accuracy of guessing among options, by form and by maker of the options.

    ``commonest`` guesses the option that is right most often elsewhere, ``position`` the most frequent position of the
    right option, and ``longest`` the option with the most letters.
    """
    rows: dict[tuple[Form, str], list[QuestionForm]] = defaultdict(list)
    for form in forms:
        if form.options:
            rows[form.form, form.maker].append(form)
    return tuple(_option_row(maker, form, rows[form, maker], guessers) for form, maker in sorted(rows))


def _option_row(maker: str, form: Form, forms: Sequence[QuestionForm], guessers: Mapping[str, Scores]) -> OptionRow:
    seen = _Seen(
        Counter(fold(answer) for form in forms for answer in form.answers),
        Counter(form.options.index(answer) for form in forms for answer in form.answers),
    )
    chance = sum(len(form.answers) / len(form.options) for form in forms) / len(forms)
    figures = {name: blind(forms, partial(_parts_right, scores=scores, seen=seen)) for name, scores in guessers.items()}
    return OptionRow(maker, form, len(forms), round(chance, 4), figures)


def _parts_right(forms: Sequence[QuestionForm], scores: Scores, seen: _Seen) -> list[float]:
    return [_part(form, scores(form, seen)) for form in forms]


def _part(form: QuestionForm, scores: Sequence[float]) -> float:
    best = [option for option, score in zip(form.options, scores, strict=True) if score == max(scores)]
    return sum(option in form.answers for option in best) / len(best)


class Replies(NamedTuple):
    """A model's replies to questions, by text, and the files of calls whose replies are waited for."""

    answers: Mapping[str, str] = MappingProxyType({})
    awaits: tuple[Path, ...] = ()


def ask_guesses(session: ModelSession, blind_questions: Iterable[BlindQuestion]) -> Replies:
    """Ask a model the questions' texts; a warning (KbeWarning) tells how many have no usable reply."""
    texts, answers = distinct_texts(blind_questions), dict[str, str]()

    async def work(asker: Asker) -> None:
        calls = (ModelGuesser(asker).first_answers(batch) for _, batch in batches(texts, GUESS_BATCH))
        for part in await gather_all(calls):
            answers.update(part)

    awaits = session.do(work, MODEL_STEP)
    if not awaits and (lost := len(texts) - len(answers)):
        warnings.warn(
            f"the model's replies to {lost} of {len(texts)} questions are unusable and left out; see the failed calls",
            KbeWarning,
            stacklevel=3,
        )
    return Replies(answers, awaits)


def distinct_texts(blind_questions: Iterable[BlindQuestion]) -> list[str]:
    """List each question's text once, so mixed that a sample's own questions hardly ever stand in one call."""
    return sorted({blind_question.text for blind_question in blind_questions}, key=lambda text: seed_of("guess", text))
