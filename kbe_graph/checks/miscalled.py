"""A phrase must not call the first answer what it is not, nor what the relation is not asked of.

A food is no material, a street no thing; one bridge is no kind of bridge, and a place has no maker.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from kbe_graph.checks.by_sort import is_by_sort
from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import CALLED, Row
from kbe_graph.english.concept import synset_of
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.relation import AskedOf, Relation
from kbe_graph.types import KEEP, Candidate, Decision, Entity, Stage
from kbe_graph.wording.fitting import KIND
from kbe_graph.wording.phrases import relation_of

_A_THING, _A_MATERIAL = re.compile("the thing "), re.compile("the material ")
_NO_THING = re.compile(r"^(?:the|this|these) (?:[\w-]+ )?(?:place|activity|activities|event|game|sport)s?\b")
_NO_PLACE = re.compile(r"^(?:the|this) (?:thing|kind|type|sort|environment|habitat)s?\b")
_NAMED = {"noun.artifact", "noun.location", "noun.object"}


class Miscalled:
    """Refuses a phrase that calls the first answer by a noun that it is not; others for the same answer may do."""

    name = "miscalled"
    stage: Stage = "question"
    reads: Reads = "phrase"
    rule = "a phrase for the first answer must not call it what it is not, nor what the first relation is not asked of"
    columns = CALLED
    refused = Row(
        "What is the red condiment made of?",
        "tomato",
        "tomato",
        "native region",
        "South America",
        called="the material it is made of",
    )
    passed = refused._replace(called="what it is made of")

    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the phrases by the concept of the answer and the relation that is asked of it."""
        thing, relation = candidate.question.root[-1].object, relation_of(self._pack, candidate.relations[0])
        called = next((text for text in candidate.called if miscalls(text, thing, relation)), "")
        return Decision(keep=False, reason=self.name, detail=called) if called else KEEP


def miscalls(text: str, thing: Entity, relation: Relation) -> bool:
    """Return whether a phrase calls a thing what it is not, or what a relation is not asked of."""
    if relation.asked_of == "sort" and not is_by_sort(text, thing):
        return True
    return any(pattern.match(text) for pattern in _miscalling(thing.concept, relation.asked_of))


@lru_cache(1 << 12)
def _miscalling(concept: str, asked_of: AskedOf) -> tuple[re.Pattern[str], ...]:
    return tuple(_patterns(concept, asked_of))


def _patterns(concept: str, asked_of: AskedOf) -> Iterator[re.Pattern[str]]:
    """Give what a phrase would call an answer that it is not, or that the relation is not asked of."""
    if asked_of == "thing":
        yield _NO_THING
    if asked_of == "place":
        yield _NO_PLACE
    synset = synset_of(concept)
    if synset is None:
        return
    if synset.instance and synset.lexname in _NAMED:  # one bridge or one mountain, not a kind of them
        yield KIND
    if is_of_kind(synset.id, "ground") or synset.lexname == "noun.act":
        yield _A_THING
    elif synset.lexname == "noun.food":
        yield _A_MATERIAL
