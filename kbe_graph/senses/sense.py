"""Which sense of a noun an answer has: the more frequent one, the question's own constraint, what is seen in the image.

Every sense is scored (``scoring``) and the best one taken; senses that the question does not ask for only take of its
confidence.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kbe_graph.english.inflect import vocabulary
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.number import head
from kbe_graph.english.vectors import Embedder
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.question import Reading, read
from kbe_graph.question.sought import category, is_kind
from kbe_graph.senses.candidates import Candidates, candidates
from kbe_graph.senses.firm import firm
from kbe_graph.senses.pastime import pastime
from kbe_graph.senses.scoring import WIDE, Case, score
from kbe_graph.senses.suits import suits
from kbe_graph.senses.usual import NONE, Usual, usual
from kbe_graph.senses.weights import WEIGHTS, Weights
from kbe_graph.text import fold

LEAST_CONFIDENCE = 0.2
_SURE = 0.9

_TRADEMARK = re.compile(r"\btrademark|\bbrand of\b")


class Link(NamedTuple):
    """The concept of an answer with its definition, how sure that is (0-1), and why; no concept is an abstention."""

    concept: str
    gloss: str
    confidence: float
    reason: str


def link(
    question: str,
    answer: str,
    objects: Sequence[str] = (),
    embed: Embedder | None = None,
    *,
    weights: Weights = WEIGHTS,
) -> Link:
    """Return the WordNet noun that an answer means, the pack's id of a firm, an inventor or a sport, or an abstention.

    ``objects`` are names of things seen in the image; ``embed`` compares the question with each sense's definition.
    Abstained from: words that WordNet does not know, names of persons and brands where the pack tells nothing of
    them, nationalities, and low confidence.
    """
    reading = read(question)
    if concept := firm(reading, answer) or pastime(reading, answer):
        return Link(concept, "", _SURE, "name")
    seen = frozenset[str]().union(*map(vocabulary, objects))
    case = Case(reading, answer, candidates(reading, fold(answer)), seen, tuple(map(fold, objects)), weights)
    usual_sense = _usual(case)
    if usual_sense and usual_sense.concept == NONE:
        return Link("", "", 0.0, "no noun for it")
    if usual_sense and usual_sense.beside and usual_sense.concept not in case.candidates.counts:
        return Link(usual_sense.concept, wordnet().gloss(usual_sense.concept), _SURE, "usual")
    named, refusal = _kept(reading, answer, case.candidates)
    kept = tuple(synset for synset in named if case.candidates.reason == "compound" or suits(reading, answer, synset))
    if not kept:
        return Link("", "", 0.0, "another kind" if named else refusal)
    if len(named) == 1:  # nothing to weigh it against
        return _best({kept[0].id: 0.0}, (), case.candidates.reason)
    if usual_sense and _is_overruled(usual_sense, reading, kept):
        usual_sense = None
    scores = {synset.id: score(case, synset, usual_sense) for synset in kept}
    others = [score(case, synset, None) - weights.unasked for synset in named if synset not in kept]
    if embed is not None and len(kept) > 1:
        vectors = embed.encode([f"{question} {answer}", *(f"{answer}: {synset.definition}" for synset in kept)])
        for synset, cosine in zip(kept, vectors[1:] @ vectors[0], strict=True):
            scores[synset.id] += weights.cosine * float(cosine)
    return _best(scores, others, case.candidates.reason)


def _usual(case: Case) -> Usual | None:
    """Return the usual sense of the name that the answer was found by; of a phrase's last word beside some words."""
    if case.candidates.reason == "head":
        usual_sense = usual(case.candidates.name, case.reading.vocabulary | vocabulary(case.answer), case.seen)
        return usual(case.answer) or (usual_sense if usual_sense and usual_sense.beside else None)
    first = case.candidates.name if case.candidates.reason == "compound" else case.answer
    return usual(first, case.reading.vocabulary, case.seen) or usual(
        case.candidates.name, case.reading.vocabulary, case.seen
    )


def _is_overruled(usual_sense: Usual, reading: Reading, kept: Sequence[Synset]) -> bool:
    """Return whether another sense than the usual one is what is asked for: "what bird is this" of a crane."""
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
    """Return the senses that the answer may have, or none and why."""
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
    """Return whether a dish is asked for by a noun that the synset is no kind of: a grilled cheese is no cheese."""
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
