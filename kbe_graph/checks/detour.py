"""A new fact must lead on, not back to what an earlier fact of the chain is told of, nor to the thing's own genus."""

import re
from collections import Counter
from functools import lru_cache

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import Columns, Row
from kbe_graph.english.concept import kinds_of, synset_of
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage

_SPECIES = re.compile(r"(?P<genus>[A-Z][a-z]+) [a-z]+$")


class Detour:
    """Refuses an object that an earlier fact is told of, as its evidence says, or that is a thing's own genus."""

    name = "detour"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = (
        "no fact may lead back to what the source tells an earlier fact of the chain of, "
        "nor by its family to the genus that most kinds of a thing are of, as WordNet names them"
    )
    columns: Columns = ()
    refused = Row(
        "What animal is this?", "Equidae", "Equidae", "type genus", "Equus", path="zebra > taxonomic family > Equidae"
    )
    passed = Row(
        "What bird is this?",
        "Phasianidae",
        "Phasianidae",
        "type genus",
        "Phasianus",
        path="turkey > family > Phasianidae",
    )

    def decide(self, candidate: Candidate) -> Decision:
        """Look before the colon in the evidence of the facts before (Equus: family Equidae), and at species' names."""
        end = fold(candidate.fact.object)
        told_of = (triplet.evidence.partition(":")[0] for triplet in candidate.question.explored)
        back = next((text for text in told_of if end in fold(text).split()), "")
        if not back and _is_genus(end):
            before = (synset_of(triplet.subject.concept) for triplet in candidate.question.explored)
            back = next((thing.lemmas[0] for thing in before if thing and end in own_genera(thing)), "")
        return Decision(keep=False, reason=self.name, detail=back) if back else KEEP


@lru_cache(1 << 12)
def _is_genus(name: str) -> bool:
    """Return whether WordNet names a species by this name, folded, and another word."""
    synsets = (synset for whole in wordnet().starting(f"{name} ") for synset in wordnet().synsets(whole))
    lemmas = (lemma for synset in synsets for lemma in synset.lemmas)
    return any(_SPECIES.match(lemma) and fold(lemma).startswith(f"{name} ") for lemma in lemmas)


@lru_cache(1 << 10)
def own_genera(thing: Synset) -> frozenset[str]:
    """Return the genera, folded, of which WordNet names most kinds of a thing; one kind among others is not most.

    A kind has the thing's name at its end and its species among its names: *herring gull, Larus argentatus*.
    """
    ends = tuple(f" {fold(lemma)}" for lemma in thing.lemmas)
    names = (name for lemma in thing.lemmas for name in wordnet().compounds(fold(lemma)))
    named = {synset for name in names for synset in wordnet().synsets(name)}
    kinds = (synset for synset in named if thing.id in kinds_of(synset.id))
    counts = Counter(genus for kind in kinds if (genus := _genus(kind, ends)))
    most = max(counts.values(), default=0)
    return frozenset(genus for genus, count in counts.items() if count == most and (most > 1 or len(counts) == 1))


def _genus(kind: Synset, ends: tuple[str, ...]) -> str:
    names = (lemma for lemma in kind.lemmas if not fold(lemma).endswith(ends))
    return next((fold(match["genus"]) for name in names if (match := _SPECIES.match(name))), "")
