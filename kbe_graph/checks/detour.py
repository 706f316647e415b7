"""A chain stays with what it began at: no family twice, and no facts of a place that a kind of thing led to."""

from kbe_graph.checks.chain import first_sense
from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import CHAIN, FACT
from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.english.concept import synset_of
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.wordnet import Synset
from kbe_graph.facts.walk import Walk
from kbe_graph.types import KEEP, Candidate, Decision, Entity, Stage

_PLACE = "noun.location"


class Detour:
    """Refuses a relation whose family the chain has used, and any fact of a named place that a kind of thing led to.

    Up a taxonomy and down again says nothing new. The rivers of a bagel's country say nothing of the bagel, and the
    picture does not show them; those of a landmark's city are near. Families that the settings let repeat are free.
    """

    name = "detour"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "no two relations of one family in a chain, and what a kind of thing leads to ends at the first named place"
    columns = FACT
    refused = CHAIN._replace(
        question="What is the only country bordering the country on that flag?",
        relation="only neighbour",
        object="Ireland",
    )
    passed = CHAIN

    def __init__(self, walk: Walk, settings: FilterSettings) -> None:
        self._relations = walk.pack.relations
        self._shared = settings.shared_families

    def decide(self, candidate: Candidate) -> Decision:
        """Compare the fact's family with those of the key path, and its subject with the first answer."""
        family = self._family(candidate.fact.relation)  # a relation that the table lacks, as of a picture, has none
        used = {self._family(triplet.relation) for triplet in candidate.question.key}
        if family in used - {*self._shared, ""}:
            return Decision(keep=False, reason=self.name, detail=f"a relation of {family!r} is in the chain")
        first, end = candidate.question.root[-1].object, candidate.question.end
        if _is_kind(first) and _is_named_place(end):
            return Decision(keep=False, reason=self.name, detail=f"{end.name!r} is not what {first.name!r} is about")
        return KEEP

    def _family(self, relation: str) -> str:
        return self._relations[relation].family if relation in self._relations else ""


def _is_kind(entity: Entity) -> bool:
    synset = _synset(entity)
    return synset is not None and not synset.instance and synset.lexname != _PLACE


def _is_named_place(entity: Entity) -> bool:
    synset = _synset(entity)
    return synset is not None and synset.instance and (synset.lexname == _PLACE or is_of_kind(synset.id, "continent"))


def _synset(entity: Entity) -> Synset | None:
    return synset_of(entity.concept) or synset_of(first_sense(entity.name))
