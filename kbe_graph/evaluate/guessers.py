"""Guessers that answer from the words of a question, or from its relations, without seeing the picture.

A learner is trained only on questions about other pictures. Counting by relation or chain within a run leaves out only
the question itself.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from kbe_graph.evaluate.score_rules import accepted_names
from kbe_graph.seeds import seed_of
from kbe_graph.text import fold
from kbe_graph.types import Question, Sample

RAW_ROW, RESELECTED_ROW = "raw", "re-selected"


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


Rows = Mapping[str, Sequence[BlindQuestion]]


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


def by_row(blind_questions: Iterable[BlindQuestion]) -> Rows:
    """Group questions by row, sorted by id: raw questions, re-selected ones, then each hop."""
    rows: dict[str, list[BlindQuestion]] = defaultdict(list)
    for blind_question in sorted(blind_questions, key=_order):
        rows[blind_question.row].append(blind_question)
    return rows


def _order(blind_question: BlindQuestion) -> tuple[object, ...]:
    return (
        blind_question.row != RAW_ROW,
        blind_question.row != RESELECTED_ROW,
        len(blind_question.row),
        blind_question.row,
        blind_question.id,
    )


def row_of(kind: str, hop: int) -> str:
    """Return the row in which a question of this kind and hop is counted."""
    return {"raw": RAW_ROW, "reselected": RESELECTED_ROW}.get(kind, f"hop {hop}")


FOLDS = 5
NEIGHBOURS = 5
WORDS = (1, 3)  # n-gram lengths, in words
_WORD = re.compile(r"\w\w")  # the vectorizer ignores shorter words
Learner = Callable[[Sequence[BlindQuestion], Sequence[BlindQuestion]], list[str]]
"""Function that learns from the first questions and guesses the answers to the second."""
Part = Callable[[BlindQuestion], tuple[str, ...]]
"""Function that extracts the part of a question's chain under which it is counted."""


def majority(train: Sequence[BlindQuestion], asked: Sequence[BlindQuestion]) -> list[str]:
    """Guess the commonest answer."""
    return [_commonest(Counter(blind_question.answer for blind_question in train))] * len(asked)


def nearest(train: Sequence[BlindQuestion], asked: Sequence[BlindQuestion]) -> list[str]:
    """Guess the commonest answer of the five most similar questions, by TF-IDF of word n-grams up to three."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.neighbors import NearestNeighbors

    if not _has_words(train):
        return majority(train, asked)
    words = TfidfVectorizer(ngram_range=WORDS)
    neighbours = NearestNeighbors(n_neighbors=min(NEIGHBOURS, len(train)), metric="cosine", algorithm="brute")
    neighbours.fit(words.fit_transform(blind_question.text for blind_question in train))
    places = neighbours.kneighbors(
        words.transform(blind_question.text for blind_question in asked), return_distance=False
    )
    return [_commonest(Counter(train[place].answer for place in near)) for near in places]


def linear(train: Sequence[BlindQuestion], asked: Sequence[BlindQuestion]) -> list[str]:
    """Guess with a linear support vector machine over the same n-grams, among answers seen at least twice."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    counts = Counter(blind_question.answer for blind_question in train)
    learnt = [blind_question for blind_question in train if counts[blind_question.answer] > 1]
    if len({blind_question.answer for blind_question in learnt}) < 2 or not _has_words(learnt):
        return majority(train, asked)
    words = TfidfVectorizer(ngram_range=WORDS)
    machine = LinearSVC(random_state=0)
    machine.fit(
        words.fit_transform(blind_question.text for blind_question in learnt),
        [blind_question.answer for blind_question in learnt],
    )
    return [str(answer) for answer in machine.predict(words.transform(blind_question.text for blind_question in asked))]


LEARNERS: Mapping[str, Learner] = {"majority": majority, "nearest": nearest, "linear": linear}


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


def last_relation(blind_question: BlindQuestion) -> tuple[str, ...]:
    """Return the relation that leads to a question's answer."""
    return blind_question.chain[-1:]


def whole_chain(blind_question: BlindQuestion) -> tuple[str, ...]:
    """Return all relations of a question's chain."""
    return blind_question.chain


PARTS: Mapping[str, Part] = {"relation": last_relation, "chain": whole_chain}


def commonest_other(part: Part, asked: Sequence[BlindQuestion]) -> list[str]:
    """Guess the commonest answer among the other questions with the same part of the chain."""
    counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for blind_question in asked:
        counts[part(blind_question)][blind_question.answer] += 1
    return [_commonest(counts[part(blind_question)] - Counter([blind_question.answer])) for blind_question in asked]


def _has_words(blind_questions: Sequence[BlindQuestion]) -> bool:
    return any(_WORD.search(blind_question.text) for blind_question in blind_questions)


def _commonest(counts: Counter[str]) -> str:
    return min(counts, key=lambda answer: (-counts[answer], answer), default="")
