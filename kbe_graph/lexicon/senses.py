"""Which sense of a noun an answer has: the more frequent one, the question's own constraint, what is seen in the image.

Every sense is scored and the best one taken. The parts of a score are added as logarithms of odds would be, so that the
softmax of the scores is the confidence; their weights were set on 120 ambiguous answers of OK-VQA.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kbe_graph.lexicon.candidates import Candidates, candidates
from kbe_graph.lexicon.constraints import CONCRETE, allowed, asks_for_brand
from kbe_graph.lexicon.embed import Embedder
from kbe_graph.lexicon.inflect import lemmas
from kbe_graph.lexicon.question import Asked, asked, is_kind
from kbe_graph.lexicon.suits import suits
from kbe_graph.lexicon.usual import NONE, Usual, usual
from kbe_graph.lexicon.wordnet import Synset, wordnet
from kbe_graph.text import fold

LEAST_CONFIDENCE = 0.2

# What a fitting sense gains: it is one of the things asked for, its kind of thing is allowed, it is a thing that can be
# seen, a word of the question (an object of the image) is in its definition, its rival in "X or Y" is beside it. A person
# loses where none is asked for.
_PERSON = 1.0
_KIND, _WIDE_KIND, _FILE, _CONCRETE, _OBJECT, _WORD, _SEEN, _PAIR, _RANK, _COSINE = (
    5.0,
    1.0,
    1.5,
    0.7,
    2.0,
    0.6,
    0.3,
    3.0,
    0.25,
    9.0,
)
_USUAL, _BESIDE, _PLANT, _MATERIAL = 2.0, 4.5, 1.0, 1.5
_FABRIC = "wn30:03309808-n"
_TRADEMARK = re.compile(r"\btrademark|\bbrand of\b")
_WIDE = {"person", "location", "time", "material", "food", "device", "machine", "equipment", "tool", "structure"}
_THINGS = re.compile(r"\b(?:objects?|items?|things?|devices?|products?|appliances?)$")
_OR = re.compile(r"\b(?:an? |the |his |her )?([\w-]+) or (?:an? |the |his |her |someone's )?([\w-]+)")
_PEOPLE = re.compile(r"\b(?:culture|people|nationality|ethnicity|race|who|person)\b")


class Link(NamedTuple):
    """The concept of an answer with its definition, how sure that is (0-1), and why; no concept is an abstention."""

    concept: str
    gloss: str
    confidence: float
    reason: str


def link(question: str, answer: str, objects: Sequence[str] = (), embed: Embedder | None = None) -> Link:
    """Return the WordNet noun that an answer means, or an abstention.

    ``objects`` are names of things seen in the image; ``embed`` compares the question with each sense's definition.
    Abstained from: words that WordNet does not know, names of persons and brands, nationalities, and low confidence.
    """
    about = asked(question)
    known = usual(answer, _words(f"{question} {' '.join(objects)}"))
    if known and known.concept == NONE:
        return Link("", "", 0.0, "no noun for it")
    found = candidates(about, fold(answer))
    named, refusal = _kept(question, about, answer, found)
    kept = tuple(synset for synset in named if found.reason == "compound" or suits(about, synset))
    if not kept:
        return Link("", "", 0.0, "another kind" if named else refusal)
    seen = bool({fold(answer), wordnet().base(fold(answer))} & {fold(one) for one in objects})
    scores = {synset.id: _score(question, about, answer, synset, found) for synset in kept}
    if known and about.firm and any(is_kind(one.id, about.noun) > is_kind(known.concept, about.noun) for one in kept):
        known = None
    for synset in kept:
        scores[synset.id] += _SEEN * _shared(" ".join(objects), answer, synset)
        scores[synset.id] += _PAIR * (synset.id in _beside(question, answer))
        scores[synset.id] += _gain(known, synset, question, seen=seen and not about.firm)
    if embed is not None and len(kept) > 1:
        vectors = embed.encode([f"{question} {answer}", *(f"{answer}: {synset.definition}" for synset in kept)])
        for synset, cosine in zip(kept, vectors[1:] @ vectors[0], strict=True):
            scores[synset.id] += _COSINE * float(cosine)
    return _best(scores, found.reason)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+", fold(text))) | frozenset(lemmas(text))


def _gain(known: Usual | None, synset: Synset, question: str, *, seen: bool) -> float:
    """Return what the usual sense of a thing in a picture gains, half of it where the question allows other kinds of thing."""
    if known is None or known.concept != synset.id:
        return 0.0
    files = allowed(question)
    gain = (_BESIDE if known.beside else _USUAL) + _USUAL * seen
    return gain / 2 if files and synset.lexname not in files else gain


def _best(scores: Mapping[str, float], reason: str) -> Link:
    best = max(scores, key=lambda synset_id: scores[synset_id])
    confidence = 1 / sum(math.exp(score - scores[best]) for score in scores.values())
    confidence = round(confidence * (0.8 if reason == "head" else 1.0), 3)
    if confidence < LEAST_CONFIDENCE:
        return Link("", "", confidence, "several senses")
    return Link(
        best, wordnet().gloss(best), confidence, reason if len(scores) > 1 or reason != "sense" else "one sense"
    )


def _kept(question: str, about: Asked, answer: str, named: Candidates) -> tuple[tuple[Synset, ...], str]:
    """Return the senses that the answer may have, or none and why."""
    found = tuple(wordnet().synset(synset_id) for synset_id in named.counts)
    if not found:
        return (), "not in WordNet"
    found = tuple(synset for synset in found if not (synset.instance and synset.lexname == "noun.person"))
    if not found:
        return (), "person"
    if named.reason == "head" and about.noun == "person":
        return tuple(synset for synset in found if is_kind(synset.id, "person")), "person"
    if asks_for_brand(question) or all(_TRADEMARK.search(synset.gloss) for synset in found):
        return tuple(synset for synset in found if about.noun and is_kind(synset.id, about.noun)), "brand"
    if any(wordnet().synset(place).instance for place in wordnet().pertains(answer)):
        return _demonym(question, about, found), "nationality"
    return found, ""


def _demonym(question: str, about: Asked, found: Sequence[Synset]) -> tuple[Synset, ...]:
    if about.language:
        return tuple(synset for synset in found if synset.lexname == "noun.communication")
    people = bool(_PEOPLE.search(fold(question)))
    return tuple(
        synset
        for synset in found
        if (people and synset.lexname == "noun.person")
        or synset.lexname not in {"noun.person", "noun.communication"}
        or (about.noun and is_kind(synset.id, about.noun))
    )


def _score(question: str, about: Asked, answer: str, synset: Synset, found: Candidates) -> float:
    files = allowed(question)
    total = sum(found.counts.values()) + len(found.counts) / 2
    score = math.log((found.counts[synset.id] + 0.5) / total) - _RANK * found.ranks[synset.id]
    if about.noun and is_kind(synset.id, about.noun):
        score += _WIDE_KIND if about.noun in _WIDE else _KIND
    if _THINGS.search(about.noun):
        score += _OBJECT * (synset.lexname in CONCRETE)
    sure = 2 if about.noun == "person" else 1
    score += sure * _FILE * (synset.lexname in files) if files else _CONCRETE * (synset.lexname in CONCRETE)
    score -= _PERSON * (synset.lexname == "noun.person" and about.noun != "person" and synset.lexname not in files)
    score -= _PLANT * (synset.lexname == "noun.plant" and _is_eaten(files, found))
    score += _MATERIAL * (about.material and _is_material(synset))
    return score + _WORD * _shared(question, answer, synset)


def _is_eaten(files: frozenset[str], found: Candidates) -> bool:
    """Return whether a name for a plant and its fruit is rather that of the fruit: where no plant is asked for."""
    foods = any(wordnet().synset(synset_id).lexname == "noun.food" for synset_id in found.counts)
    return foods and (not files or "noun.food" in files or "noun.plant" not in files)


def _is_material(synset: Synset) -> bool:
    return synset.lexname == "noun.substance" or wordnet().is_a(synset.id, _FABRIC)


def _shared(text: str, answer: str, synset: Synset) -> int:
    """Return how many lemmas a text shares with a definition, the answer's own left out, two at most (Lesk 1986)."""
    above = " ".join(wordnet().synset(parent).lemmas[0] for parent in wordnet().hypernyms(synset.id)[:3])
    return min(2, len((set(lemmas(text)) - set(lemmas(answer))) & set(lemmas(f"{synset.gloss} {above}"))))


def _beside(question: str, answer: str) -> frozenset[str]:
    """Return the senses of the answer that share a direct hypernym with a sense of the other choice in "X or Y"."""
    names = next((match.groups() for match in _OR.finditer(fold(question)) if fold(answer) in match.groups()), None)
    if names is None:
        return frozenset()
    other = names[1] if names[0] == fold(answer) else names[0]
    parents = {parent for synset in wordnet().lookup(other).synsets[:3] for parent in synset.hypernyms}
    own = wordnet().lookup(answer).synsets
    return frozenset(synset.id for synset in own if parents & set(synset.hypernyms))
