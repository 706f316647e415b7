"""The answer must be one of the kind that the question asks for, or it was linked to another sense (queen, for a bed)."""

import re

from kbe_graph.filters.row import FACT, Row
from kbe_graph.lexicon.concept import kinds_of, synset_of
from kbe_graph.lexicon.inflect import singular
from kbe_graph.lexicon.question import asked, category
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage

_KIND = re.compile(
    r"\b(?:what|which|name|guess|whats|the) (?:a |an |the |other )?(?:(?:kind|type|sort|species|breed|variet)\w* of|breed\b)"
)
_COLOR = re.compile(r"\b(?:what|which) (?:\w+ )?(?:shade|colou?r)\b")
# Structures and areas: of another thing asked for they tell where it belongs (bathroom, for a kind of sink).
_PLACES = {"wn30:04341686-n", "wn30:02735688-n"}
_STRICT = {"noun.animal", "noun.food"}
# What pictures are asked about by a noun that WordNet gives another first sense: edible fruit, cattle.
_MEANT = {"fruit": "wn30:07705931-n", "cow": "wn30:02402425-n"}


class Category:
    """Refuses to go on from an answer to "what kind of X" that is no X.

    Animals and foods must lie below X in WordNet; of an artifact it is enough to be an artifact, for WordNet's kinds of them
    are narrow (a bus is no vehicle there).
    """

    name = "category"
    stage: Stage = "fact"
    rule = (
        'an answer to "what kind of X" must be an X: an animal or food below X in WordNet, an artifact for an artifact'
    )
    columns = FACT
    example = Row("What type of sandwich is being served?", "cucumber", "cucumber", "young", "seedling")

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the benchmark's question and the concept of its answer."""
        question = candidate.question
        synset = synset_of(question.concept)
        if question.kind != "raw" or synset is None:
            return KEEP
        if _COLOR.search(fold(question.text)) and synset.lexname != "noun.attribute":
            return Decision(keep=False, reason=self.name, detail=f"{question.answer!r} is meant as a color")
        if not _KIND.search(fold(question.text)):
            return KEEP
        noun = asked(question.text).noun
        kinds = category(noun)
        files = {kind.lexname for kind in kinds}
        if {_MEANT.get(_head(noun), ""), *(kind.id for kind in kinds)} & set(kinds_of(synset.id)):
            return KEEP
        place = bool(_PLACES & set(kinds_of(synset.id))) and not any(_PLACES & set(kinds_of(kind.id)) for kind in kinds)
        if files & _STRICT or ("noun.artifact" in files and (place or synset.lexname not in files)):
            detail = f"{question.answer!r} ({synset.lexname.removeprefix('noun.')}) is no {noun!r}"
            return Decision(keep=False, reason=self.name, detail=detail)
        return KEEP


def _head(noun: str) -> str:
    return singular(fold(noun).split()[-1]) if noun else ""
