"""Accuracy of guessing without the picture: answers, from words or from relations, and options.

A guesser of words is trained only on questions about other pictures. Counting by relation or chain leaves out only the
question itself.
"""

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from kbe_graph.brief import brief
from kbe_graph.errors import KbeWarning
from kbe_graph.figures.outcomes import row_of, row_order
from kbe_graph.models.loop import batches, gather_all
from kbe_graph.scoring.score_rules import accepted_names
from kbe_graph.statistics import wilson
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.session import ModelSession
from kbe_graph.steps.tasks import GUESS_BATCH, first_guesses
from kbe_graph.text import fold
from kbe_graph.types import Form, Question, QuestionForm, Sample, seed_of


class BlindQuestion(NamedTuple):
    """A question without its picture: its words, answer, all right answers, and the relations of its chain.

    Answers are folded. ``row`` groups raw questions, re-selected ones, and those of each hop. ``picture`` identifies
    the image, so that questions of one image can be kept together.
    """

    id: str
    row: str
    text: str
    answer: str
    right: frozenset[str]
    chain: tuple[str, ...]
    picture: str


def blind_question_of(sample: Sample, question: Question) -> BlindQuestion:
    """Build the blind question of a sample's question; aliases and the annotators' answers also count as right."""
    return BlindQuestion(
        id=question.id,
        row=row_of(question.kind, question.hop),
        text=question.text,
        answer=fold(question.answer),
        right=frozenset(map(fold, (question.answer, *accepted_names(question, sample)))),
        chain=tuple(triplet.relation for triplet in question.explored),
        picture=sample.picture_key,
    )


FOLDS = 5
NEIGHBOURS = 5
WORDS = (1, 3)  # n-gram lengths, in words
_WORD = re.compile(r"\w\w")  # the vectorizer ignores shorter words
Learner = Callable[[Sequence[BlindQuestion], Sequence[BlindQuestion]], list[str]]
"""Function that learns from the first questions and guesses the answers to the second."""


def majority(train: Sequence[BlindQuestion], asked: Sequence[BlindQuestion]) -> list[str]:
    """Guess the commonest answer."""
    return [_commonest(Counter(blind_question.answer for blind_question in train))] * len(asked)


def nearest(train: Sequence[BlindQuestion], asked: Sequence[BlindQuestion]) -> list[str]:
    """Guess the commonest answer of the five most similar questions, by TF-IDF of word n-grams up to three."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.neighbors import NearestNeighbors

    if not any(_WORD.search(blind_question.text) for blind_question in train):
        return majority(train, asked)
    words = TfidfVectorizer(ngram_range=WORDS)
    neighbours = NearestNeighbors(n_neighbors=min(NEIGHBOURS, len(train)), metric="cosine", algorithm="brute")
    neighbours.fit(words.fit_transform(blind_question.text for blind_question in train))
    places = neighbours.kneighbors(
        words.transform(blind_question.text for blind_question in asked), return_distance=False
    )
    return [_commonest(Counter(train[place].answer for place in near)) for near in places]


LEARNERS: Mapping[str, Learner] = {"majority": majority, "nearest": nearest}


def cross_fitted(learn: Learner, asked: Sequence[BlindQuestion]) -> list[str]:
    """Guess each question in five folds that keep a picture's questions together.

    For each fold, ``learn`` is trained on the other questions, which are about other pictures.
    """
    guesses: dict[str, str] = {}
    for number in range(FOLDS):
        fold = [blind_question for blind_question in asked if seed_of("fold", blind_question.picture) % FOLDS == number]
        pictures = {blind_question.picture for blind_question in fold}
        others = [blind_question for blind_question in asked if blind_question.picture not in pictures]
        if fold:
            guesses |= zip((blind_question.id for blind_question in fold), learn(others, fold), strict=True)
    return [guesses[blind_question.id] for blind_question in asked]


PARTS = {"relation": slice(-1, None), "chain": slice(None)}
"""The part of a question's chain under which its answer is counted."""


def commonest_other(part: slice, asked: Sequence[BlindQuestion]) -> list[str]:
    """Guess the commonest answer among the other questions with the same part of the chain."""
    counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for blind_question in asked:
        counts[blind_question.chain[part]][blind_question.answer] += 1
    return [_commonest(counts[each.chain[part]] - Counter([each.answer])) for each in asked]


def _commonest(counts: Counter[str]) -> str:
    return min(counts, key=lambda answer: (-counts[answer], answer), default="")


GUESSERS = ("majority", *PARTS, "nearest")
OPTION_GUESSERS = ("commonest", "longest", "position")
MODEL = "model"


@brief("share")
@dataclass(frozen=True, slots=True)
class Figure:
    """Number of correct guesses, of questions, the share correct, and its 95 % interval.

    If several options tie, the guesser is credited with the expected value of a random choice among them.
    """

    right: float
    questions: int
    share: float
    low: float
    high: float


def blind(chances: Sequence[float]) -> Figure:
    """Return the figure of a guesser, from the chance that its guess is right at each question."""
    right, questions = sum(chances), len(chances)
    low, high = wilson(right, questions)
    return Figure(round(right, 2), questions, round(right / questions, 4), round(low, 4), round(high, 4))


@dataclass(frozen=True, slots=True)
class OptionRow:
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


@brief(table="rows: row questions guessers")
@dataclass(frozen=True, slots=True)
class Guesses:
    """Accuracy of guessing by row.

    ``awaits`` lists the files of calls whose replies the model's figures still need; ``options`` is the accuracy of
    guessing among the options if questions are multiple choice.

    >>> guesses = work.stats.guess("demo")
    >>> [row.row for row in guesses.rows][:1], sorted(guesses.rows[0].guessers)
    (['raw'], ['majority', 'nearest'])
    """

    rows: tuple[GuessRow, ...]
    awaits: tuple[Path, ...] = ()
    options: tuple[OptionRow, ...] = ()

    def as_mapping(self) -> dict[str, Any]:
        """Return all fields as plain values for JSON.

        >>> sorted(work.stats.guess("demo").as_mapping())
        ['awaits', 'options', 'rows']
        """
        return asdict(self) | {"awaits": [str(file) for file in self.awaits]}


def guess(blind_questions: Iterable[BlindQuestion], *, replies: Mapping[str, str] = MappingProxyType({})) -> Guesses:
    """Measure how often each guesser answers correctly without the picture.

    Guessers learn from the other questions of the same row. ``replies`` maps question texts to a model's answers
    without pictures; the model's figures cover only these questions.
    """
    rows: dict[str, list[BlindQuestion]] = defaultdict(list)
    for blind_question in sorted(blind_questions, key=lambda each: (row_order(each.row), each.id)):
        rows[blind_question.row].append(blind_question)
    return Guesses(tuple(_row(row, own, replies) for row, own in rows.items()))


def _row(row: str, asked: Sequence[BlindQuestion], replies: Mapping[str, str]) -> GuessRow:
    parts = PARTS if any(each.chain for each in asked) else {}
    guesses = {name: commonest_other(part, asked) for name, part in parts.items()}
    guesses |= {name: cross_fitted(learn, asked) for name, learn in LEARNERS.items()}
    figures = {name: _figure(asked, guesses[name]) for name in GUESSERS if name in guesses}
    if heard := [blind_question for blind_question in asked if blind_question.text in replies]:
        figures[MODEL] = _figure(heard, [replies[each.text] for each in heard])
    return GuessRow(row, len(asked), len({blind_question.answer for blind_question in asked}), figures)


def _figure(asked: Sequence[BlindQuestion], guesses: Sequence[str]) -> Figure:
    return blind([fold(guess) in each.right for each, guess in zip(asked, guesses, strict=True)])


def guess_options(forms: Iterable[QuestionForm]) -> tuple[OptionRow, ...]:
    """Measure the accuracy of guessing among options, by form and by maker of the options.

    ``commonest`` guesses the option that is right most often elsewhere, ``position`` the most frequent position of the
    right option, and ``longest`` the option with the most letters.
    """
    rows: dict[tuple[Form, str], list[QuestionForm]] = defaultdict(list)
    for form in forms:
        if form.options:
            rows[form.form, form.maker].append(form)
    return tuple(_option_row(maker, form, rows[form, maker]) for form, maker in sorted(rows))


def _option_row(maker: str, form: Form, forms: Sequence[QuestionForm]) -> OptionRow:
    answers = Counter(fold(answer) for form in forms for answer in form.answers)
    places = Counter(form.options.index(answer) for form in forms for answer in form.answers)
    scores: Mapping[str, Callable[[QuestionForm], list[float]]] = {
        "commonest": lambda form: [answers[fold(option)] - (option in form.answers) for option in form.options],
        "longest": lambda form: [len(option) for option in form.options],
        "position": lambda form: [places[place] for place in range(len(form.options))],
    }
    chance = sum(len(form.answers) / len(form.options) for form in forms) / len(forms)
    figures = {name: blind([_part(form, score(form)) for form in forms]) for name, score in scores.items()}
    return OptionRow(maker, form, len(forms), round(chance, 4), figures)


def _part(form: QuestionForm, scores: Sequence[float]) -> float:
    best = [option for option, score in zip(form.options, scores, strict=True) if score == max(scores)]
    return sum(option in form.answers for option in best) / len(best)


def ask_guesses(
    session: ModelSession, blind_questions: Iterable[BlindQuestion]
) -> tuple[Mapping[str, str], tuple[Path, ...]]:
    """Ask a model the questions' texts; return its answers by text, and the files of calls that wait for replies.

    A warning (KbeWarning) tells how many have no usable reply.
    """
    answers: dict[str, str] = {}
    # so mixed that a sample's own questions hardly ever stand in one call
    texts = sorted({blind_question.text for blind_question in blind_questions}, key=partial(seed_of, "guess"))

    async def work(asker: Asker) -> None:
        calls = (first_guesses(asker, batch) for _, batch in batches(texts, GUESS_BATCH))
        for part in await gather_all(calls):
            answers.update(part)

    awaits = session.do(work, "guess")
    if not awaits and (lost := len(texts) - len(answers)):
        warnings.warn(
            f"the model's replies to {lost} of {len(texts)} questions are unusable and left out; see the failed calls",
            KbeWarning,
            stacklevel=3,
        )
    return answers, awaits
