"""Guessers: each says an answer by the words of a question, or by how its chain of relations ends elsewhere.

What is learnt from never holds a question of the same picture. Counting the other questions of a run with one relation
or chain leaves out the question alone: how much do the others give away?
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from operator import attrgetter
from threading import Thread

from kbe_graph.extras import missing_line
from kbe_graph.guess.riddle import Riddle
from kbe_graph.seeds import seed_of

FOLDS = 5
NEIGHBOURS = 5
WORDS = (1, 3)  # the lengths of n-grams, in words
_WORD = re.compile(r"\w\w")  # what the vectorizer takes for a word is at least so long
Learner = Callable[[Sequence[Riddle], Sequence[Riddle]], list[str]]
"""Learns from the first riddles, and guesses at the others."""
Part = Callable[[Riddle], tuple[str, ...]]
"""Tells the part of a riddle's chain that it is counted by."""


def majority(train: Sequence[Riddle], asked: Sequence[Riddle]) -> list[str]:
    """Guess the commonest answer."""
    return [_commonest(Counter(riddle.answer for riddle in train))] * len(asked)


def nearest(train: Sequence[Riddle], asked: Sequence[Riddle]) -> list[str]:
    """Guess what most of the five questions with the likest words say, by TF-IDF of word n-grams up to three."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.neighbors import NearestNeighbors

    if not _has_words(train):
        return majority(train, asked)
    words = TfidfVectorizer(ngram_range=WORDS)
    neighbours = NearestNeighbors(n_neighbors=min(NEIGHBOURS, len(train)), metric="cosine", algorithm="brute")
    neighbours.fit(words.fit_transform(riddle.text for riddle in train))
    places = neighbours.kneighbors(words.transform(riddle.text for riddle in asked), return_distance=False)
    return [_commonest(Counter(train[place].answer for place in near)) for near in places]


def linear(train: Sequence[Riddle], asked: Sequence[Riddle]) -> list[str]:
    """Guess by a linear support vector machine over the same n-grams, among the answers that are known twice."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    counts = Counter(riddle.answer for riddle in train)
    learnt = [riddle for riddle in train if counts[riddle.answer] > 1]
    if len({riddle.answer for riddle in learnt}) < 2 or not _has_words(learnt):
        return majority(train, asked)
    words = TfidfVectorizer(ngram_range=WORDS)
    machine = LinearSVC(random_state=0)
    machine.fit(words.fit_transform(riddle.text for riddle in learnt), [riddle.answer for riddle in learnt])
    return [str(answer) for answer in machine.predict(words.transform(riddle.text for riddle in asked))]


def get_ready() -> None:
    """Import what learns, if it is installed, in a thread: that takes more than a second."""
    if missing_line("guess"):
        return
    modules = ("sklearn.neighbors", "sklearn.feature_extraction.text")
    Thread(target=lambda: list(map(import_module, modules)), name="kbe-guessers").start()


LEARNERS: Mapping[str, Learner] = {"majority": majority, "nearest": nearest, "linear": linear}


def cross_fitted(learn: Learner, asked: Sequence[Riddle], train: Sequence[Riddle] | None = None) -> list[str]:
    """Return a guess at each riddle, in five folds that keep a picture's questions together.

    For each fold is learnt from those of ``train``, without it of the others asked, that are of no picture in the fold.
    """
    guesses: dict[str, str] = {}
    for number in range(FOLDS):
        fold = [riddle for riddle in asked if seed_of("fold", riddle.picture) % FOLDS == number]
        pictures = {riddle.picture for riddle in fold}
        others = [riddle for riddle in (asked if train is None else train) if riddle.picture not in pictures]
        if fold:
            guesses |= zip((riddle.id for riddle in fold), learn(others, fold), strict=True)
    return [guesses[riddle.id] for riddle in asked]


def last_relation(riddle: Riddle) -> tuple[str, ...]:
    """Return the relation that a question's answer is reached by."""
    return riddle.chain[-1:]


def whole_chain(riddle: Riddle) -> tuple[str, ...]:
    """Return all relations of a question's chain."""
    return riddle.chain


PARTS: Mapping[str, Part] = {"relation": last_relation, "chain": whole_chain}


def commonest_other(part: Part, asked: Sequence[Riddle], train: Sequence[Riddle] | None = None) -> list[str]:
    """Guess the commonest answer of the other questions with that part of the chain.

    With ``train`` these are its questions of other pictures.
    """
    same = attrgetter("id" if train is None else "picture")  # what is left out
    counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    own: dict[tuple[tuple[str, ...], str], Counter[str]] = defaultdict(Counter)
    for riddle in asked if train is None else train:
        counts[part(riddle)][riddle.answer] += 1
        own[part(riddle), same(riddle)][riddle.answer] += 1
    return [_commonest(counts[part(riddle)] - own[part(riddle), same(riddle)]) for riddle in asked]


def _has_words(riddles: Sequence[Riddle]) -> bool:
    return any(_WORD.search(riddle.text) for riddle in riddles)


def _commonest(counts: Counter[str]) -> str:
    """Return the answer that is counted most, of several the first by name; empty where there is none."""
    return min(counts, key=lambda answer: (-counts[answer], answer), default="")
