"""How well each sense of an answer fits: its frequency, what the question asks for, what is seen.

The parts of a score are added as logarithms of odds would be, so that the softmax of the scores is the confidence; their
weights were set on 120 ambiguous answers of OK-VQA.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from kbe_graph.lexicon.candidates import Candidates
from kbe_graph.lexicon.constraints import CONCRETE
from kbe_graph.lexicon.inflect import lemmas
from kbe_graph.lexicon.question import Asked, is_kind
from kbe_graph.lexicon.usual import Usual
from kbe_graph.lexicon.wordnet import Synset, wordnet
from kbe_graph.text import fold

# What a fitting sense gains: it is one of the things asked for, its kind of thing is allowed, it is a thing that can be
# seen, a word of the question (an object of the image) is in its definition, a kind of it is seen, its rival in "X or Y" is
# beside it, it is what the name usually means. A person loses where none is asked for, a plant or an animal where
# its food is, a term of a game where none is played.
_KIND, _WIDE_KIND, _FILE, _CONCRETE, _OBJECT = 5.0, 1.0, 1.5, 0.7, 2.0
_WORD, _SEEN, _KIND_SEEN, _PAIR, _RANK, _COSINE, _NAMED = 0.6, 0.3, 1.5, 3.0, 0.25, 9.0, 2.0
_USUAL, _BESIDE, _PERSON, _PLANT, _ANIMAL, _MATERIAL, _GAME = 3.5, 4.5, 1.0, 1.0, 1.5, 1.5, 1.5
_FABRIC = "wn30:03309808-n"
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
_THINGS = re.compile(r"\b(?:objects?|items?|things?|devices?|products?|appliances?)$")
_OR = re.compile(r"\b(?:an? |the |his |her )?([\w-]+) or (?:an? |the |his |her |someone's )?([\w-]+)")
_TERM = re.compile(
    r"\((baseball|american football|football|basketball|golf|cricket|craps|bowling|chess|sports?|boxing)\)"
)
_PLAYED = {"ball", "game", "match", "play", "player", "sport", "sports", "team", "racket", "court", "pitcher", "umpire"}


class Case(NamedTuple):
    """One answer: its question and what that asks for, its possible senses, the words of the question and of what is seen.

    ``files`` are the lexicographer files that the question's key words allow.
    """

    question: str
    about: Asked
    answer: str
    found: Candidates
    words: frozenset[str]
    seen: frozenset[str]
    objects: Sequence[str]
    files: frozenset[str]


def score(case: Case, synset: Synset, known: Usual | None) -> float:
    """Return how well a sense fits; ``known`` is the usual sense of the name, if it has one."""
    found, about, files = case.found, case.about, case.files
    total = sum(found.counts.values()) + len(found.counts) / 2
    points = math.log((found.counts[synset.id] + 0.5) / total) - _RANK * found.ranks[synset.id]
    if about.noun and is_kind(synset.id, about.noun):
        points += _WIDE_KIND if about.noun in WIDE else _KIND
    if _THINGS.search(about.noun):
        points += _OBJECT * (synset.lexname in CONCRETE)
    sure = 2 if about.noun == "person" else 1
    points += sure * _FILE * (synset.lexname in files) if files else _CONCRETE * (synset.lexname in CONCRETE)
    points -= _PERSON * (synset.lexname == "noun.person" and about.noun != "person" and synset.lexname not in files)
    points -= _PLANT * (synset.lexname == "noun.plant" and _is_eaten(files, found))
    points -= _ANIMAL * (synset.lexname == "noun.animal" and "noun.food" in files and _is_eaten(files, found))
    points += _MATERIAL * (about.material and _is_material(synset))
    return points + _context(case, synset) + _gain(case, synset, known)


def _context(case: Case, synset: Synset) -> float:
    points = _WORD * _shared(case.words, case.answer, synset) + _SEEN * _shared(case.seen, case.answer, synset)
    points += _PAIR * (synset.id in _beside(case.question, case.answer))
    points += _KIND_SEEN * any(_is_kind_of(thing, case.found.name, synset) for thing in case.objects)
    term = _TERM.match(synset.gloss)
    near = case.words | case.seen
    return points - _GAME * bool(term and not near & {*_PLAYED, *term.group(1).split()})


def cosines(cosine: float) -> float:
    """Return what a sense gains by the likeness of its definition to the question."""
    return _COSINE * cosine


def _gain(case: Case, synset: Synset, known: Usual | None) -> float:
    """Return what the usual sense of a thing in a picture gains, half of it where the question allows other kinds of thing."""
    if known is None or known.concept != synset.id:
        return 0.0
    seen = not case.about.firm and not {fold(case.answer), case.found.name}.isdisjoint(case.objects)
    gain = (_BESIDE if known.beside else _USUAL) + _NAMED * seen
    told = bool(known.beside & case.words)
    return gain / 2 if not told and case.files and synset.lexname not in case.files else gain


def _is_eaten(files: frozenset[str], found: Candidates) -> bool:
    """Return whether a name for a plant and its fruit is rather that of the fruit: where no plant is asked for."""
    foods = any(wordnet().synset(synset_id).lexname == "noun.food" for synset_id in found.counts)
    return foods and (not files or "noun.food" in files or "noun.plant" not in files)


def _is_material(synset: Synset) -> bool:
    return synset.lexname == "noun.substance" or wordnet().is_a(synset.id, _FABRIC)


def _is_kind_of(thing: str, name: str, synset: Synset) -> bool:
    """Return whether a thing that is seen is a kind of a sense, by name and meaning: tennis court of court."""
    if not thing.endswith(f" {name}"):
        return False
    return any(wordnet().is_a(one, synset.id) for one, _ in wordnet().senses(thing)[:1])


def _shared(words: frozenset[str], answer: str, synset: Synset) -> int:
    """Return how many words a definition shares with others, the answer's own left out, two at most (Lesk 1986)."""
    return min(2, len((words & _told(synset.id)) - set(lemmas(answer))))


@lru_cache(maxsize=1 << 14)
def _told(synset_id: str) -> frozenset[str]:
    """Return the lemmas of a definition with its examples, and of the three nearest kinds above."""
    above = " ".join(wordnet().synset(parent).lemmas[0] for parent in wordnet().hypernyms(synset_id)[:3])
    return frozenset(lemmas(f"{wordnet().gloss(synset_id)} {above}"))


def _beside(question: str, answer: str) -> frozenset[str]:
    """Return the senses of the answer that share a direct hypernym with a sense of the other choice in "X or Y"."""
    names = next((match.groups() for match in _OR.finditer(fold(question)) if fold(answer) in match.groups()), None)
    if names is None:
        return frozenset()
    other = names[1] if names[0] == fold(answer) else names[0]
    parents = {parent for synset in wordnet().lookup(other).synsets[:3] for parent in synset.hypernyms}
    own = wordnet().lookup(answer).synsets
    return frozenset(synset.id for synset in own if parents & set(synset.hypernyms))
