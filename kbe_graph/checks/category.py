"""The answer must be of the kind that the question asks for, or it was linked to another sense (queen, for a bed)."""

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import FACT, Row
from kbe_graph.english.concept import kinds_of, synset_of
from kbe_graph.english.inflect import singular
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.question import read
from kbe_graph.question.sought import category
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage

# Of another thing asked for these tell where it belongs (bathroom, for a kind of sink).
_PLACES = ("structure", "area")
_STRICT = {"noun.animal", "noun.food"}
# What pictures are asked about by a noun that WordNet gives another first sense: edible fruit, cattle.
_MEANT = {"fruit": "edible fruit", "cow": "cattle"}


class Category:
    """Refuses to go on from an answer to "what kind of X" that is no X.

    Animals and foods must lie below X in WordNet; of an artifact it is enough to be an artifact, for WordNet's kinds of
    them are narrow (a bus is no vehicle there).
    """

    name = "category"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = (
        'an answer to "what kind of X" must be an X: an animal or food below X in WordNet, an artifact for an artifact'
    )
    columns = FACT
    refused = Row("What type of sandwich is being served?", "cucumber", "cucumber", "young", "seedling")
    passed = Row("What kind of animal is this?", "giraffe", "giraffe", "habitat", "savanna")

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the benchmark's question and the concept of its answer."""
        question = candidate.question
        synset = synset_of(question.concept)
        if question.kind != "raw" or synset is None:
            return KEEP
        reading = read(question.text)
        if reading.asks("shade") and synset.lexname != "noun.attribute":
            return Decision(keep=False, reason=self.name, detail=f"{question.answer!r} is meant as a color")
        if not reading.asks("kind of"):
            return KEEP
        noun = reading.asks_for
        kinds = category(noun)
        files = {kind.lexname for kind in kinds}
        meant = _MEANT.get(_head(noun))
        if {kind.id for kind in kinds} & set(kinds_of(synset.id)) or (meant and is_of_kind(synset.id, meant)):
            return KEEP
        place = is_of_kind(synset.id, *_PLACES) and not any(is_of_kind(kind.id, *_PLACES) for kind in kinds)
        if files & _STRICT or ("noun.artifact" in files and (place or synset.lexname not in files)):
            detail = f"{question.answer!r} ({synset.lexname.removeprefix('noun.')}) is no {noun!r}"
            return Decision(keep=False, reason=self.name, detail=detail)
        return KEEP


def _head(noun: str) -> str:
    return singular(fold(noun).split()[-1]) if noun else ""
