"""Sense of a noun answer: by frequency, by what the question asks for, and by the words of question and image.

The parts of a score are log odds, so that the softmax of the scores is the confidence. A name that is too uncertain,
or of no WordNet noun, has no sense.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from kbe_graph.english.inflect import head, lemmas, singular, vocabulary
from kbe_graph.english.property import CONCRETE, category, is_kind
from kbe_graph.english.reading import Reading, read
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import is_of_kind, kind, words
from kbe_graph.files.resources import data
from kbe_graph.text import fold

NONE = "-"
LEAST_CONFIDENCE = 0.2
_SURE = 0.9
_NAMED = {"brand", "company", "team"}  # types of answers that are proper names
_MEASURES = {"noun.quantity", "noun.time", "noun.attribute", "noun.shape", "noun.possession"}
_DEEDS = {"noun.act", "noun.event", "noun.process", "noun.state", "noun.phenomenon", "noun.Tops", "noun.cognition"}
_AREA = {"noun.location", "noun.object"}
_SPOT = _AREA | {"noun.artifact", "noun.group", "noun.act", "noun.event"}
_NARROW = {"country": "country", "nation": "country", "continent": "continent", "month": "month", "season": "season"}
# Files of possible answers to a question for this file: fish and leaves are food, wood and fruit come from trees.
_FILES = {
    "noun.animal": {"noun.animal", "noun.Tops", "noun.body"},
    "noun.food": {"noun.food", "noun.plant", "noun.animal", "noun.substance", "noun.Tops"},
    "noun.plant": {"noun.plant", "noun.food", "noun.substance", "noun.Tops"},
    "noun.person": {"noun.person", "noun.group", "noun.animal", "noun.Tops"},
    "noun.object": {"noun.object", "noun.artifact", "noun.substance"},
}
# What a feature adds to the score of a sense, in log odds; set by hand on judged answers of OK-VQA.
_OF_KIND, _OF_WIDE_KIND, _OF_FILE, _CONCRETE, _IN_QUESTION, _SEEN, _RANK = 5.0, 1.0, 1.5, 0.7, 0.6, 0.3, 0.25
_USUAL, _USUAL_BESIDE, _UNASKED = 3.5, 4.5, 2.0
_TREES = {"noun.artifact", "noun.communication", "noun.food"}  # files that WordNet orders by what a thing is
_LEAST_DEPTH = 5  # of the hypernym of siblings


class Usual(NamedTuple):
    """A concept (``NONE`` if WordNet has no noun for the object), and the context words in which a name means it.

    Without context words, it is the name's usual meaning.
    """

    concept: str
    beside: frozenset[str]


@cache
def _table() -> Mapping[str, tuple[Usual, ...]]:
    table: dict[str, tuple[Usual, ...]] = {}
    for line in data("seen.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            word, concept, beside, _ = line.split("\t")
            table[word] = (*table.get(word, ()), Usual(concept, frozenset(beside.split())))
    return table


def usual(name: str, words: Collection[str] = (), seen: Collection[str] = ()) -> Usual | None:
    """Look up the usual meaning of a name in an image, given the words of question and scene; None if not listed.

    The sense with most context words wins over the name's usual meaning, and a question's word counts more than any
    seen.
    """
    rows = _table().get(fold(name)) or _table().get(wordnet().base(fold(name)) or "", ())
    beside = {row: (len(row.beside & frozenset(words)), len(row.beside & frozenset(seen))) for row in rows}
    best = max(beside, key=lambda row: beside[row], default=None)
    if best and any(beside[best]):
        return best
    return next((row for row in rows if not row.beside), None)


class Link(NamedTuple):
    """The concept of an answer, its definition, the confidence (0-1) and the reason; no concept means abstention."""

    concept: str
    gloss: str
    confidence: float
    reason: str


class _Case(NamedTuple):
    """One answer: the lemma that it is known by, how that was found, and the words for visible objects."""

    reading: Reading
    answer: str
    name: str
    how: str
    seen: frozenset[str]


def link_noun(question: str, answer: str, objects: Sequence[str] = ()) -> Link:
    """Link an answer to a WordNet noun, or abstain; ``objects`` are names of visible objects.

    It abstains for words unknown to WordNet, for names of persons and brands, for nationalities, and at low confidence.
    """
    reading = read(question)
    asked = reading.asks_for
    name, how = _lemma(reading, fold(answer))
    case = _Case(reading, answer, name, how, frozenset[str]().union(*map(vocabulary, objects)))
    own = usual(answer if how == "sense" else name, reading.vocabulary, case.seen)
    if own and own.concept == NONE:
        return Link("", "", 0.0, "no noun for it")
    named, refusal = _named_senses(case)
    kept = [synset for synset in named if how == "compound" or _fits(case, synset)]
    if own and reading.firm and any(is_kind(each.id, asked) for each in kept) and not is_kind(own.concept, asked):
        own = None
    if own and own.beside and own.concept not in {synset.id for synset in named}:
        return Link(own.concept, wordnet().gloss(own.concept), _SURE, "usual")
    if not kept:
        return Link("", "", 0.0, "another kind" if named else refusal)
    scores = {synset: _score(case, synset, own) - (0 if synset in kept else _UNASKED) for synset in named}
    best = max(kept, key=lambda synset: scores[synset])
    confidence = 1 / sum(math.exp(points - scores[best]) for points in scores.values())
    confidence = round(confidence * (0.8 if how == "head" and len(named) > 1 else 1.0), 3)
    if confidence < LEAST_CONFIDENCE:
        return Link("", "", confidence, "several senses")
    return Link(best.id, best.gloss, confidence, how if len(kept) > 1 or how != "sense" else "one sense")


def _lemma(reading: Reading, name: str) -> tuple[str, str]:
    """Find the lemma of an answer: a longer name (labrador: Labrador retriever), itself, or its head."""
    if longer := next(_longer(reading, name), ""):
        return longer, "compound"
    if spelling := next(
        (each for each in (name, name.replace(" ", ""), name.replace(" ", "-")) if _is_known(each)), ""
    ):
        return spelling, "sense"
    lookup = wordnet().lookup(name)
    *before, last = name.split() or [""]
    if not before or not lookup.head or words("unreal") & {*before} or reading.asks("action") or reading.asks("reason"):
        return "", "head"
    counts = [wordnet().counts(word) for word in before]
    if before[0].endswith("ing") or (
        not reading.firm and counts[0].get("v", -1) > max(counts[0].get("n", 0), counts[0].get("a", 0))
    ):
        return "", "head"
    described = all("a" in count or word.isdigit() for count, word in zip(counts, before, strict=True))
    nouns = reading.asks_for != "person" and all("n" in count for count in counts) and wordnet().morphy(last)
    is_list = all(any(synset.lexname == "noun.food" for synset in wordnet().synsets(word)) for word in before)
    is_name = is_list or any(
        all(synset.instance for synset in wordnet().synsets(word)) for word in before if wordnet().knows(word)
    )
    visible = lookup.synsets[0].lexname in CONCRETE | {"noun.person", "noun.location"}
    return (lookup.lemma if visible and (described or nouns) and not is_name else ""), "head"


def _is_known(name: str) -> bool:
    return wordnet().knows(name) or wordnet().base(name) is not None


def _longer(reading: Reading, name: str) -> Iterator[str]:
    asked = wordnet().morphy(head(reading.asks_for)) or head(reading.asks_for)
    if not reading.firm or not asked or any(is_kind(synset.id, asked) for synset in _synsets(name)):
        return
    begun: list[str] = []
    if (kinds := category(asked)) and {kind.lexname for kind in kinds} <= {"noun.animal", "noun.plant"}:
        begun = [each for each in wordnet().starting(f"{name} ") if is_kind(wordnet().senses(each)[0][0], asked)]
    for compound in (f"{name} {asked}", f"{name}{asked}", f"{asked} {name}", *(begun if len(begun) == 1 else ())):
        means = usual(compound)
        of_kind = any(is_kind(synset.id, asked) for synset in wordnet().synsets(compound))
        if of_kind and not (means and means.concept == NONE):
            yield compound


def _synsets(name: str) -> tuple[Synset, ...]:
    base = wordnet().base(name)
    return tuple(dict.fromkeys((*wordnet().synsets(name), *(wordnet().synsets(base) if base else ()))))


def _named_senses(case: _Case) -> tuple[list[Synset], str]:
    """List the senses that an answer may have, with the reason if there is none."""
    reading = case.reading
    named = [each for each in _synsets(case.name) if not (each.instance and each.lexname == "noun.person")]
    if not named:
        return [], "person" if _synsets(case.name) else "not in WordNet"
    if case.how == "head" and reading.asks_for == "person":
        return [each for each in named if is_kind(each.id, "person")], "person"
    if reading.asks("brand") or (reading.refused_type in _NAMED and reading.asks_for != "person"):
        return [each for each in named if reading.asks_for and is_kind(each.id, reading.asks_for)], "brand"
    if any(wordnet().synset(place).instance for place in wordnet().pertains(case.answer)):
        allowed = {"noun.person": reading.asks("people"), "noun.communication": reading.asks("language")}
        return [each for each in named if allowed.get(each.lexname, not reading.asks("language"))], "nationality"
    return named, ""


def _fits(case: _Case, synset: Synset) -> bool:
    """Return True if a sense may answer the question, or if the question's noun is too vague to tell."""
    reading = case.reading
    if reading.asks("measure"):
        return synset.lexname in _MEASURES
    if not reading.firm:
        return not _is_deed(reading, fold(case.answer)) or synset.lexname in _DEEDS
    if narrow := _NARROW.get(head(reading.asks_for)):
        return is_kind(synset.id, narrow)
    files = _files(reading)
    if not files or is_kind(synset.id, reading.asks_for):
        return True
    return synset.lexname in files and (not _tree(reading) or _is_sibling(synset, reading.asks_for))


def _tree(reading: Reading) -> Synset | None:
    """Get the main sense of the noun asked for, if WordNet lists its kinds below it: a car, but not a topping."""
    asked = next(iter(category(reading.asks_for)), None)
    if asked is None or asked.lexname not in _TREES or singular(head(reading.asks_for)) in words("wide kinds"):
        return None
    return asked if asked.lexname != "noun.communication" or is_of_kind(asked.id, "titled") else None


def _is_sibling(synset: Synset, noun: str) -> bool:
    """Return True if a sense shares a hypernym with a noun's category (sailboat, boat: vessel), or is a name.

    WordNet files Big Ben as a clock, not as a tower.
    """
    parents = {parent for each in category(noun) for parent in each.hypernyms} - kind("instrumentality")
    shared = parents.intersection(wordnet().hypernyms(synset.id))
    return synset.instance or any(len(wordnet().hypernyms(parent)) >= _LEAST_DEPTH for parent in shared)


def _is_deed(reading: Reading, name: str) -> bool:
    counts = wordnet().counts(name)
    verb, noun = counts.get("v", 0), counts.get("n", 0)
    if reading.asks("action"):
        return verb > noun or (name.endswith("ing") and wordnet().morphy(name, "v") not in {None, name})
    return reading.asks("reason") and verb > 3 * noun


@lru_cache(1 << 10)
def _files(reading: Reading) -> frozenset[str]:
    """List the files of a fitting answer's sense; empty if the question does not restrict them."""
    of_field = {"area": _AREA, "spot": _SPOT, "sport": {"noun.act", "noun.event"}}
    if reading.field in of_field:
        return frozenset(of_field[reading.field])
    kinds = category(reading.asks_for)[:1]
    if reading.asks_for == "person":
        return frozenset(_FILES["noun.person"])
    if (tree := _tree(reading)) and tree.lexname != "noun.food":
        return frozenset({tree.lexname})
    if kinds and is_of_kind(kinds[0].id, "instrumentality", "clothing") and not reading.asks_kind:
        return frozenset({"noun.artifact", "noun.substance"})
    return frozenset(_FILES.get(kinds[0].lexname, ()) if kinds else ())


def _score(case: _Case, synset: Synset, own: Usual | None) -> float:
    reading, files, asked = case.reading, case.reading.files, case.reading.asks_for
    counts = {
        each: count for lemma in (case.name, wordnet().base(case.name) or "") for each, count in wordnet().senses(lemma)
    }
    points = math.log((counts[synset.id] + 0.5) / (sum(counts.values()) + len(counts) / 2)) - _RANK * list(
        counts
    ).index(synset.id)
    if asked and is_kind(synset.id, asked):
        points += _OF_WIDE_KIND if asked in words("wide kinds") else _OF_KIND
    if files:
        points += _OF_FILE * (synset.lexname in files) * (2 if asked == "person" else 1)
    else:
        points += _CONCRETE * (synset.lexname in CONCRETE)
    points -= synset.lexname == "noun.person" and asked != "person" and synset.lexname not in files
    eats = not files or "noun.food" in files or "noun.plant" not in files
    is_food = any(each.lexname == "noun.food" for each in _synsets(case.name))
    points -= synset.lexname == "noun.plant" and is_food and eats
    is_material = synset.lexname == "noun.substance" or is_of_kind(synset.id, "fabric")
    points += 1.5 * (is_material and reading.asks("material"))
    near = _definition_words(synset.id) - set(lemmas(case.answer))
    points += _IN_QUESTION * min(2, len(near & reading.vocabulary)) + _SEEN * min(2, len(near & case.seen))
    if own and own.concept == synset.id:
        gain = _USUAL_BESIDE if own.beside else _USUAL
        points += gain / 2 if files and synset.lexname not in files else gain
    return points


@lru_cache(1 << 12)
def _definition_words(synset_id: str) -> frozenset[str]:
    """Collect the lemmas of a definition with its examples, and of the three nearest hypernyms."""
    above = " ".join(wordnet().synset(parent).lemmas[0] for parent in wordnet().hypernyms(synset_id)[:3])
    return frozenset(lemmas(f"{wordnet().gloss(synset_id)} {above}"))
