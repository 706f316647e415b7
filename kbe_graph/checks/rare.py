"""A word that hardly anyone has met tests the dictionary, not the eye."""

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import FACT, Row
from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.english.concept import synset_of
from kbe_graph.english.frequency import frequency
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Rare:
    """Refuses objects whose rarest word is below the rate of the settings.

    Names are let through: taxa, units and currencies, symbols, languages and places are rare by nature, and known.
    """

    name = "rare"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "each word of the object must be in use; names of taxa, units, symbols and places are let through"
    columns = FACT
    refused = Row("What is the scientific name of the animal on the chair?", "cat", "cat", "phobia", "ailurophobia")
    passed = Row("What bird is this?", "swan", "swan", "young", "cygnet")

    def __init__(self, settings: FilterSettings) -> None:
        self._rate = settings.rare_rate

    def decide(self, candidate: Candidate) -> Decision:
        """Count the words of the object's name."""
        fact = candidate.fact
        rate = frequency(fact.object)
        if rate >= self._rate or _is_name(fact.object_id):
            return KEEP
        return Decision(keep=False, reason=self.name, detail=f"{fact.object!r}: {rate} in a thousand million words")


def _is_name(concept: str) -> bool:
    synset = synset_of(concept)
    if synset is None:
        return bool(concept)
    return synset.instance or synset.lemmas[0][:1].isupper()
