"""Which item of Wikidata an answer means: by its names, and by whether the item's kinds are those of the answer.

Several items that fit equally are told apart by the number of their articles alone, and only where that leaves no doubt.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from kbe_graph.knowledge.table import rows
from kbe_graph.knowledge.wikidata.archive import Row
from kbe_graph.knowledge.wikidata.terms import item
from kbe_graph.knowledge.wikidata.wikidata import Wikidata
from kbe_graph.lexicon.concept import synset_of
from kbe_graph.lexicon.question import asked, category
from kbe_graph.lexicon.wordnet import wordnet
from kbe_graph.text import fold

NOT_THERE, NO_KIND, SEVERAL, NO_TYPE = (
    "no item of this name",
    "no item of this kind",
    "several items",
    "no kind to check",
)
_CANDIDATES = 7
_FAMOUS = 4
# Kinds so wide that a film and a cup have them in common.
_WIDE = frozenset(
    {
        *("abstraction", "artefact", "artifact", "attribute", "entity", "group", "matter", "object", "physical entity"),
        *("physical object", "product", "relation", "thing", "unit", "whole", "work", "causal agent", "event", "state"),
    }
)


class Answer(NamedTuple):
    """An answer to link: its concept; where that is no noun of WordNet, its name and the noun that its question asks for."""

    concept: str
    name: str = ""
    noun: str = ""


def answer_of(question: str, name: str, concept: str) -> Answer:
    """Return the answer of a question, with nothing in it but what it is linked by."""
    return Answer(concept) if synset_of(concept) else Answer(concept, name, asked(question).noun)


class Meaning(NamedTuple):
    """What is looked for: its names, and kinds that it may be of, each group better than the next."""

    names: tuple[str, ...]
    kinds: tuple[frozenset[str], ...]


class Linked(NamedTuple):
    """The item of an answer (Q144), empty for an abstention, and its reason."""

    item: str
    reason: str = ""


def link(wikidata: Wikidata, answers: Iterable[Answer]) -> Mapping[Answer, Linked]:
    """Return the item of each answer; raises SourceError.

    An answer with a concept is looked for by the concept alone, so that all questions with that concept mean one item.
    """
    meanings = {one: meaning(one) for one in dict.fromkeys(answers)}
    found = wikidata.find(form for one in meanings.values() if one.kinds for name in one.names for form in forms(name))
    candidates = {key: _candidates(one, found) for key, one in meanings.items() if one.kinds}
    kinds = wikidata.kinds(candidate.item for some in candidates.values() for candidate in some)
    named = {name: frozenset(fold(row.values["name"]) for row in told) for name, told in kinds.items()}
    return {
        key: _chosen(one, candidates[key], named) if one.kinds else Linked("", NO_TYPE) for key, one in meanings.items()
    }


def meaning(answer: Answer) -> Meaning:
    """Return what to look for: a concept's lemmas and hypernyms, else the answer itself and what the question asks for."""
    synset = synset_of(answer.concept)
    if synset is not None:
        above = [frozenset(map(fold, wordnet().synset(one).lemmas)) - _WIDE for one in wordnet().hypernyms(synset.id)]
        return Meaning(synset.lemmas, (*(some for some in above if some), _files().get(synset.lexname, frozenset())))
    noun = answer.noun
    names = {fold(noun)} | {fold(lemma) for synset in category(noun)[:1] for lemma in synset.lemmas} if noun else set()
    return Meaning((answer.name,), (frozenset(names) - _WIDE - {""},) if names - _WIDE else ())


def forms(name: str) -> tuple[str, ...]:
    """Return how a label may write a name: as it is, small, with a capital, with capitals.

    >>> forms("labrador retriever")
    ('labrador retriever', 'Labrador retriever', 'Labrador Retriever')
    """
    low = name.lower().strip()
    title = " ".join(word[:1].upper() + word[1:] for word in low.split())
    return tuple(form for form in dict.fromkeys((name.strip(), low, low[:1].upper() + low[1:], title)) if form)


class _Candidate(NamedTuple):
    item: str
    label: bool
    sitelinks: int


def _candidates(wanted: Meaning, found: Mapping[str, tuple[Row, ...]]) -> tuple[_Candidate, ...]:
    """Return the items that bear one of the names, those with the most articles."""
    by_item: dict[str, _Candidate] = {}
    for row in (row for name in wanted.names for form in forms(name) for row in found[form]):
        name = item(row.values["item"])
        label = row.values["match"] == "label" or (name in by_item and by_item[name].label)
        by_item[name] = _Candidate(name, label, int(float(row.values.get("sitelinks", "0"))))
    return tuple(sorted(by_item.values(), key=lambda one: (-one.sitelinks, one.item))[:_CANDIDATES])


def _chosen(wanted: Meaning, some: Sequence[_Candidate], kinds: Mapping[str, frozenset[str]]) -> Linked:
    if not some:
        return Linked("", NOT_THERE)
    ranks = {one.item: _rank(wanted, kinds[one.item]) for one in some}
    best = min(ranks.values())
    if best == len(wanted.kinds):
        return Linked("", NO_KIND)
    left = [one for one in some if ranks[one.item] == best]
    left = [one for one in left if one.label] or left
    if len(left) > 1 and left[0].sitelinks < _FAMOUS * max(left[1].sitelinks, 1):
        return Linked("", SEVERAL)
    return Linked(left[0].item)


def _rank(wanted: Meaning, kinds: frozenset[str]) -> int:
    return next((place for place, some in enumerate(wanted.kinds) if some & kinds), len(wanted.kinds))


@cache
def _files() -> Mapping[str, frozenset[str]]:
    """Return the kinds of Wikidata that fit a lexicographer file of WordNet."""
    file = files("kbe_graph.knowledge.wikidata").joinpath("kinds.tsv")
    return {name: frozenset(map(fold, kinds.split("|"))) for _, (name, kinds) in rows(file, ("lexname", "kinds"))}
