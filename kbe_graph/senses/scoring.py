"""How well each sense of an answer fits: its frequency, the kind asked for, the things seen.

The parts of a score are added as logarithms of odds would be, so that the softmax of the scores is the confidence;
``weights`` has the value of each.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from kbe_graph.english.inflect import lemmas
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.question import Reading
from kbe_graph.question.property import CONCRETE, is_kind
from kbe_graph.senses.candidates import Candidates, Usual
from kbe_graph.text import fold


@dataclass(frozen=True, slots=True)
class Weights:
    """The gain or loss of a sense by each sign, in log odds; set by hand on judged answers of OK-VQA."""

    kind: float = 5.0
    """Gained where it is one of the things that the question asks for: an animal."""
    wide_kind: float = 1.0
    """The same where many senses are such a thing: a person, a tool, a structure."""
    file: float = 1.5
    """Gained where the question asks for things of its lexicographer file; twice where a person is asked for."""
    concrete: float = 0.7
    """Gained by what can be seen, where the question says nothing of the kind of thing."""
    thing: float = 2.0
    """Gained by what can be seen, where the question asks for a thing."""
    question_word: float = 0.6
    """Gained for a word of the question that is in its definition, two at most."""
    seen_word: float = 0.3
    """Gained for a word for what is seen that is in its definition, two at most."""
    kind_seen: float = 1.5
    """Gained where a kind of it is seen: a tennis court, for court."""
    pair: float = 3.0
    """Gained where it stands beside the other choice of "X or Y"."""
    rank: float = 0.25
    """Lost for each sense that WordNet puts before it."""
    cosine: float = 9.0
    """Gained by the likeness of its definition to the question, times the cosine, where texts are compared."""
    usual: float = 3.5
    """Gained by the sense that the name has as a rule in pictures."""
    usual_beside: float = 4.5
    """Gained by the sense that the name has beside words that the question or the picture holds."""
    usual_seen: float = 2.0
    """Gained by the usual sense on top, where the answer itself is seen and the question asks for no kind of thing."""
    person: float = 1.0
    """Lost by a person where none is asked for."""
    plant: float = 1.0
    """Lost by a plant where its food may be meant."""
    animal: float = 1.5
    """Lost by an animal where its food is asked for."""
    material: float = 1.5
    """Gained by a material where one is asked for."""
    game: float = 1.5
    """Lost by a term of a game where none is played."""
    unasked: float = 2.0
    """Lost by a sense that the question does not ask for, before it takes of the confidence of the others."""


WEIGHTS = Weights()


WIDE = {
    "person",
    "location",
    "time",
    "material",
    "food",
    "device",
    "machine",
    "equipment",
    "tool",
    "structure",
    "vehicle",
}
_TERM = re.compile(
    r"\((baseball|american football|football|basketball|golf|cricket|craps|bowling|chess|sports?|boxing)\)"
)
_PLAYED = {"ball", "game", "match", "play", "player", "sport", "team", "racket", "court", "pitcher", "umpire"}


class Case(NamedTuple):
    """One answer: the reading of its question, its possible senses, and the words for the things seen."""

    reading: Reading
    answer: str
    candidates: Candidates
    seen: frozenset[str]
    objects: Sequence[str]
    weights: Weights = WEIGHTS


def score(case: Case, synset: Synset, usual: Usual | None) -> float:
    """Return the score of a sense; ``usual`` is the usual sense of the name, if it has one."""
    candidates, reading, files, weights = case.candidates, case.reading, case.reading.files, case.weights
    total = sum(candidates.counts.values()) + len(candidates.counts) / 2
    points = math.log((candidates.counts[synset.id] + 0.5) / total) - weights.rank * candidates.ranks[synset.id]
    if reading.asks_for and is_kind(synset.id, reading.asks_for):
        points += weights.wide_kind if reading.asks_for in WIDE else weights.kind
    if reading.field == "thing":
        points += weights.thing * (synset.lexname in CONCRETE)
    sure = 2 if reading.asks_for == "person" else 1
    points += (
        sure * weights.file * (synset.lexname in files) if files else weights.concrete * (synset.lexname in CONCRETE)
    )
    points -= weights.person * (
        synset.lexname == "noun.person" and reading.asks_for != "person" and synset.lexname not in files
    )
    points -= weights.plant * (synset.lexname == "noun.plant" and _is_eaten(files, candidates))
    points -= weights.animal * (
        synset.lexname == "noun.animal" and "noun.food" in files and _is_eaten(files, candidates)
    )
    points += weights.material * (_is_material(synset) and reading.asks("material"))
    return points + _context(case, synset) + _gain(case, synset, usual)


def _context(case: Case, synset: Synset) -> float:
    weights = case.weights
    asked, seen = (_shared(near, case.answer, synset) for near in (case.reading.vocabulary, case.seen))
    points = weights.question_word * asked + weights.seen_word * seen
    points += weights.pair * (synset.id in _beside(case.reading, case.answer))
    points += weights.kind_seen * any(_is_kind_of(thing, case.candidates.name, synset) for thing in case.objects)
    game = _game(synset.id)
    return points - weights.game * bool(game and not (case.reading.vocabulary | case.seen) & {*_PLAYED, *game.split()})


@lru_cache(maxsize=1 << 14)
def _game(synset_id: str) -> str:
    """Return the game whose term a sense is, as its definition begins: (baseball) a ball; empty where it is none."""
    term = _TERM.match(wordnet().gloss(synset_id))
    return term.group(1) if term else ""


def _gain(case: Case, synset: Synset, usual: Usual | None) -> float:
    """Return the gain of the usual sense of a thing in a picture, halved if the question allows other kinds."""
    if usual is None or usual.concept != synset.id:
        return 0.0
    weights = case.weights
    seen = not case.reading.firm and not {fold(case.answer), case.candidates.name}.isdisjoint(case.objects)
    gain = (weights.usual_beside if usual.beside else weights.usual) + weights.usual_seen * seen
    asked = bool(usual.beside & case.reading.vocabulary)
    return gain / 2 if not asked and case.reading.files and synset.lexname not in case.reading.files else gain


def _is_eaten(files: frozenset[str], candidates: Candidates) -> bool:
    """Return True if a name for a plant and its fruit is rather that of the fruit: where no plant is asked for."""
    foods = any(wordnet().synset(synset_id).lexname == "noun.food" for synset_id in candidates.counts)
    return foods and (not files or "noun.food" in files or "noun.plant" not in files)


def _is_material(synset: Synset) -> bool:
    return synset.lexname == "noun.substance" or is_of_kind(synset.id, "fabric")


def _is_kind_of(thing: str, name: str, synset: Synset) -> bool:
    """Return True if a thing that is seen is a kind of a sense, by name and meaning: tennis court of court."""
    if not thing.endswith(f" {name}"):
        return False
    return any(wordnet().is_a(synset_id, synset.id) for synset_id, _ in wordnet().senses(thing)[:1])


def _shared(words: frozenset[str], answer: str, synset: Synset) -> int:
    """Return the words that a definition shares with others, without the answer's, two at most (Lesk 1986)."""
    return min(2, len((words & _definition_words(synset.id)) - set(lemmas(answer))))


@lru_cache(maxsize=1 << 12)
def _definition_words(synset_id: str) -> frozenset[str]:
    """Return the lemmas of a definition with its examples, and of the three nearest kinds above."""
    above = " ".join(wordnet().synset(parent).lemmas[0] for parent in wordnet().hypernyms(synset_id)[:3])
    return frozenset(lemmas(f"{wordnet().gloss(synset_id)} {above}"))


def _beside(reading: Reading, answer: str) -> frozenset[str]:
    """Return the senses of the answer that share a direct hypernym with a sense of the other choice in "X or Y"."""
    names = next((names for names in reading.offers if fold(answer) in names), None)
    if names is None:
        return frozenset()
    other = names[1] if names[0] == fold(answer) else names[0]
    parents = {parent for synset in wordnet().lookup(other).synsets[:3] for parent in synset.hypernyms}
    own = wordnet().lookup(answer).synsets
    return frozenset(synset.id for synset in own if parents & set(synset.hypernyms))
