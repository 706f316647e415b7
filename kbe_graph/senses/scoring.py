"""Scores for the senses of an answer: by frequency, by the kind asked for, and by the visible objects.

The parts of a score are log odds, so that the softmax of the scores is the confidence; ``weights`` holds the value of
each.
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
    """The score of a sense for each feature, in log odds; set by hand on judged answers of OK-VQA."""

    kind: float = 5.0
    """Added if the sense is of the kind that the question asks for: an animal."""
    wide_kind: float = 1.0
    """The same for a broad kind that many senses belong to: a person, a tool, a structure."""
    file: float = 1.5
    """Added if the question asks for its lexicographer file; doubled if it asks for a person."""
    concrete: float = 0.7
    """Added for a visible object if the question implies no lexicographer file."""
    thing: float = 2.0
    """Added for a visible object if the question asks for a thing."""
    question_word: float = 0.6
    """Added for each word shared by its definition and the question, at most two."""
    seen_word: float = 0.3
    """Added for each word shared by its definition and the names of visible objects, at most two."""
    kind_seen: float = 1.5
    """Added if a kind of it is visible: a tennis court, for court."""
    pair: float = 3.0
    """Added if it is related to the other choice of "X or Y"."""
    rank: float = 0.25
    """Subtracted for each sense that WordNet lists before it."""
    usual: float = 3.5
    """Added for the name's usual sense in images."""
    usual_beside: float = 4.5
    """Added for the name's sense beside context words in the question or the image."""
    usual_seen: float = 2.0
    """Also added for the usual sense if the answer is visible and the question requires no kind."""
    person: float = 1.0
    """Subtracted for a person if none is asked for."""
    plant: float = 1.0
    """Subtracted for a plant if its food may be meant."""
    animal: float = 1.5
    """Subtracted for an animal if its food is asked for."""
    material: float = 1.5
    """Added for a material if one is asked for."""
    game: float = 1.5
    """Subtracted for a term of a game if none is played."""
    unasked: float = 2.0
    """Subtracted for a sense that the question does not ask for, before it reduces the confidence in the others."""


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
    """One answer: the reading of its question, its possible senses, and the words for visible objects."""

    reading: Reading
    answer: str
    candidates: Candidates
    seen: frozenset[str]
    objects: Sequence[str]
    weights: Weights = WEIGHTS


def score(case: Case, synset: Synset, usual: Usual | None) -> float:
    """Score a sense; ``usual`` is the usual sense of the name, if it has one."""
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
    """Get the game that a sense is a term of, from the start of its definition: (baseball) a ball; empty if none."""
    term = _TERM.match(wordnet().gloss(synset_id))
    return term.group(1) if term else ""


def _gain(case: Case, synset: Synset, usual: Usual | None) -> float:
    if usual is None or usual.concept != synset.id:
        return 0.0
    weights = case.weights
    seen = not case.reading.firm and not {fold(case.answer), case.candidates.name}.isdisjoint(case.objects)
    gain = (weights.usual_beside if usual.beside else weights.usual) + weights.usual_seen * seen
    asked = bool(usual.beside & case.reading.vocabulary)
    return gain / 2 if not asked and case.reading.files and synset.lexname not in case.reading.files else gain


def _is_eaten(files: frozenset[str], candidates: Candidates) -> bool:
    foods = any(wordnet().synset(synset_id).lexname == "noun.food" for synset_id in candidates.counts)
    return foods and (not files or "noun.food" in files or "noun.plant" not in files)


def _is_material(synset: Synset) -> bool:
    return synset.lexname == "noun.substance" or is_of_kind(synset.id, "fabric")


def _is_kind_of(thing: str, name: str, synset: Synset) -> bool:
    if not thing.endswith(f" {name}"):
        return False
    return any(wordnet().is_a(synset_id, synset.id) for synset_id, _ in wordnet().senses(thing)[:1])


def _shared(words: frozenset[str], answer: str, synset: Synset) -> int:
    return min(2, len((words & _definition_words(synset.id)) - set(lemmas(answer))))


@lru_cache(maxsize=1 << 12)
def _definition_words(synset_id: str) -> frozenset[str]:
    """Collect the lemmas of a definition with its examples, and of the three nearest hypernyms."""
    above = " ".join(wordnet().synset(parent).lemmas[0] for parent in wordnet().hypernyms(synset_id)[:3])
    return frozenset(lemmas(f"{wordnet().gloss(synset_id)} {above}"))


def _beside(reading: Reading, answer: str) -> frozenset[str]:
    names = next((names for names in reading.offers if fold(answer) in names), None)
    if names is None:
        return frozenset()
    other = names[1] if names[0] == fold(answer) else names[0]
    parents = {parent for synset in wordnet().lookup(other).synsets[:3] for parent in synset.hypernyms}
    own = wordnet().lookup(answer).synsets
    return frozenset(synset.id for synset in own if parents & set(synset.hypernyms))
