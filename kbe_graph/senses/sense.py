"""Sense disambiguation of a noun answer: by frequency, by the question's constraint, and by the objects in the image.

Every sense is scored (``scoring``) and the best one is chosen; senses that the question does not ask for only reduce
its confidence.
"""

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from kbe_graph.english.inflect import vocabulary
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.number import head
from kbe_graph.english.wordnet import LEXNAMES, Synset, wordnet
from kbe_graph.facts.pack import pack
from kbe_graph.question import Reading, read
from kbe_graph.question.property import CONCRETE, category, is_kind
from kbe_graph.senses.candidates import NONE, Candidates, Usual, candidates, usual
from kbe_graph.senses.scoring import WEIGHTS, WIDE, Case, Weights, score
from kbe_graph.text import fold

_NARROW = {"country": "country", "nation": "country", "continent": "continent", "month": "month", "season": "season"}
_MEASURES = {"noun.quantity", "noun.time", "noun.attribute", "noun.shape", "noun.possession"}
_DEEDS = {"noun.act", "noun.event", "noun.process", "noun.state", "noun.phenomenon", "noun.Tops", "noun.cognition"}
_MOSTLY = 3
# Files that cannot name a kind of artifact: "queen" for a bed, "passenger" for a plane.
_NOT_MADE = {"noun.person", "noun.animal", "noun.body", "noun.quantity", "noun.time", "noun.motive"}
# Files of possible answers to a question for this file: fish and leaves are food, wood and fruit come from trees.
_FILES = {
    "noun.animal": {"animal", "Tops", "body"},
    "noun.food": {"food", "plant", "animal", "substance", "Tops"},
    "noun.plant": {"plant", "food", "substance", "Tops"},
    "noun.person": {"person", "group", "animal", "Tops"},
    "noun.object": {"object", "artifact", "substance"},
}
_SEEN = CONCRETE | {"noun.person"}
_ANYTHING: frozenset[str] = frozenset()


def fits_question(reading: Reading, answer: str, synset: Synset) -> bool:
    """Return True if a sense may answer the question, or if the question's noun is too vague to tell."""
    if reading.asks("measure"):
        return synset.lexname in _MEASURES
    if not reading.firm and _is_deed(reading, fold(answer)):
        return synset.lexname in _DEEDS
    if not reading.firm:
        return True
    if narrow := _NARROW.get(head(reading.asks_for)):
        return is_kind(synset.id, narrow)
    files = _files(reading)
    return not files or is_kind(synset.id, reading.asks_for) or synset.lexname.removeprefix("noun.") in files


def _is_deed(reading: Reading, name: str) -> bool:
    counts = wordnet().counts(name)
    verb, noun = counts.get("v", 0), counts.get("n", 0)
    if reading.asks("action"):
        return verb > noun or (name.endswith("ing") and wordnet().morphy(name, "v") not in {None, name})
    return reading.asks("reason") and verb > _MOSTLY * noun


@lru_cache(1 << 10)
def _files(reading: Reading) -> frozenset[str]:
    noun = reading.asks_for
    if reading.field == "area":
        return frozenset({"location", "object"})
    if reading.field == "spot":
        return frozenset({"location", "object", "artifact", "group", "act", "event", "plant"} - _plant(noun))
    if reading.field == "sport":
        return frozenset({"act", "event"})
    if noun == "person":
        return frozenset(_FILES["noun.person"])
    main, *others = category(noun) or (None,)
    if main is None or main.lexname not in _SEEN:
        return _ANYTHING
    kinds = [_of_kind(kind, reading) for kind in (main, *others) if kind.lexname in _SEEN]
    return frozenset().union(*kinds) if all(kinds) else _ANYTHING


def _plant(noun: str) -> set[str]:
    return {"plant"} if noun != "location" and "habitat" not in noun else set()


def _of_kind(kind: Synset, reading: Reading) -> set[str]:
    if is_of_kind(kind.id, "instrumentality", "clothing"):
        return {"artifact", "substance"} if reading.asks("material") else {"artifact"}
    if kind.lexname == "noun.artifact" and reading.asks_kind:
        return {name.removeprefix("noun.") for name in {*LEXNAMES} - _NOT_MADE}
    return _FILES.get(kind.lexname, set())


_TYPES = {"brand", "company", "team"}
_ASKED = re.compile(r"\b(?:brand|company|companies|airlines?|makes?|makers?|made|manufactur\w+|sponsor\w*|teams?)\b")
_SHOP = re.compile(r"\b(?:what|which) (?:[\w-]+ ){0,2}(?:restaurant|store|chain)\b(?! of\b)")


def firm(reading: Reading, answer: str) -> str:
    """Look up the firm that answers a question for a brand, a company, a store or a team; empty for any other.

    Questions for an airline give none: the pack's Delta makes faucets.
    """
    text = reading.text.lower()
    if not _SHOP.search(text) and (not _ASKED.search(text) or reading.refused_type not in _TYPES):
        return ""
    return "" if "airline" in text else pack().names_of("firm").get(fold(answer), "")


_PETS = {"dog", "cat"}


def sport_or_game(reading: Reading, answer: str) -> str:
    """Look up the sport or game that answers a question for one; empty for any other."""
    if reading.field != "sport" or not reading.vocabulary.isdisjoint(_PETS):
        return ""
    return pack().names_of("sport").get(fold(answer), "")


LEAST_CONFIDENCE = 0.2
_SURE = 0.9

_TRADEMARK = re.compile(r"\btrademark|\bbrand of\b")


class Link(NamedTuple):
    """The concept of an answer, its definition, the confidence (0-1) and the reason; no concept means abstention."""

    concept: str
    gloss: str
    confidence: float
    reason: str


def link(
    question: str,
    answer: str,
    objects: Sequence[str] = (),
    *,
    weights: Weights = WEIGHTS,
) -> Link:
    """Link an answer to a WordNet noun, or to the pack's id of a firm or a sport, or abstain.

    ``objects`` are names of visible objects. It abstains for words unknown to WordNet, for names of persons and brands
    that the pack does not know, for nationalities, and at low confidence.
    """
    reading = read(question)
    if concept := firm(reading, answer) or sport_or_game(reading, answer):
        return Link(concept, "", _SURE, "name")
    seen = frozenset[str]().union(*map(vocabulary, objects))
    case = Case(reading, answer, candidates(reading, fold(answer)), seen, tuple(map(fold, objects)), weights)
    usual_sense = _usual(case)
    if usual_sense and usual_sense.concept == NONE:
        return Link("", "", 0.0, "no noun for it")
    if usual_sense and usual_sense.beside and usual_sense.concept not in case.candidates.counts:
        return Link(usual_sense.concept, wordnet().gloss(usual_sense.concept), _SURE, "usual")
    named, refusal = _kept(reading, answer, case.candidates)
    kept = tuple(
        synset for synset in named if case.candidates.reason == "compound" or fits_question(reading, answer, synset)
    )
    if not kept:
        return Link("", "", 0.0, "another kind" if named else refusal)
    if len(named) == 1:  # no other sense to compare with
        return _best({kept[0].id: 0.0}, (), case.candidates.reason)
    if usual_sense and _is_overruled(usual_sense, reading, kept):
        usual_sense = None
    scores = {synset.id: score(case, synset, usual_sense) for synset in kept}
    others = [score(case, synset, None) - weights.unasked for synset in named if synset not in kept]
    return _best(scores, others, case.candidates.reason)


def _usual(case: Case) -> Usual | None:
    if case.candidates.reason == "head":
        usual_sense = usual(case.candidates.name, case.reading.vocabulary | vocabulary(case.answer), case.seen)
        return usual(case.answer) or (usual_sense if usual_sense and usual_sense.beside else None)
    first = case.candidates.name if case.candidates.reason == "compound" else case.answer
    return usual(first, case.reading.vocabulary, case.seen) or usual(
        case.candidates.name, case.reading.vocabulary, case.seen
    )


def _is_overruled(usual_sense: Usual, reading: Reading, kept: Sequence[Synset]) -> bool:
    if not reading.firm or head(reading.asks_for) in WIDE or is_kind(usual_sense.concept, reading.asks_for):
        return False
    return any(is_kind(synset.id, reading.asks_for) for synset in kept)


def _best(scores: Mapping[str, float], others: Sequence[float], reason: str) -> Link:
    best = max(scores, key=lambda synset_id: scores[synset_id])
    confidence = 1 / sum(math.exp(points - scores[best]) for points in (*scores.values(), *others))
    confidence = round(confidence * (0.8 if reason == "head" else 1.0), 3)
    if confidence < LEAST_CONFIDENCE:
        return Link("", "", confidence, "several senses")
    return Link(
        best, wordnet().gloss(best), confidence, reason if len(scores) > 1 or reason != "sense" else "one sense"
    )


def _kept(reading: Reading, answer: str, named: Candidates) -> tuple[tuple[Synset, ...], str]:
    synsets = tuple(wordnet().synset(synset_id) for synset_id in named.counts)
    if not synsets:
        return (), "not in WordNet"
    synsets = tuple(synset for synset in synsets if not (synset.instance and synset.lexname == "noun.person"))
    if not synsets:
        return (), "person"
    if named.reason == "head" and reading.asks_for == "person":
        return tuple(synset for synset in synsets if is_kind(synset.id, "person")), "person"
    if named.reason == "head" and reading.firm:
        synsets = tuple(synset for synset in synsets if not _is_beside(synset, reading.asks_for))
    if reading.asks("brand") or all(_TRADEMARK.search(synset.gloss) for synset in synsets):
        return tuple(synset for synset in synsets if reading.asks_for and is_kind(synset.id, reading.asks_for)), "brand"
    if any(wordnet().synset(place).instance for place in wordnet().pertains(answer)):
        return _demonym(reading, synsets), "nationality"
    return synsets, ""


def _is_beside(synset: Synset, noun: str) -> bool:
    return any(is_of_kind(kind.id, "dish") for kind in category(noun)) and not is_kind(synset.id, noun)


def _demonym(reading: Reading, synsets: Sequence[Synset]) -> tuple[Synset, ...]:
    if reading.asks("language"):
        return tuple(synset for synset in synsets if synset.lexname == "noun.communication")
    people = reading.asks("people")
    return tuple(
        synset
        for synset in synsets
        if (people and synset.lexname == "noun.person")
        or synset.lexname not in {"noun.person", "noun.communication"}
        or (reading.asks_for and is_kind(synset.id, reading.asks_for))
    )
