"""What is asked on from a re-selected question must stay with the raw one: of a thing that it speaks of."""

from collections.abc import Iterator, Sequence
from itertools import chain

from kbe_graph.checks.beside import speaks_of
from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import Columns, Row
from kbe_graph.question import read
from kbe_graph.types import KEEP, Candidate, Decision, Entity, Stage, Triplet
from kbe_graph.wording.kind import is_animate


class OffTopic:
    """Refuses to go on from a re-selected question whose key holds nothing that the raw question asks about."""

    name = "off the topic"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = (
        "what goes on from a re-selected question must be about a thing, or a kind of it, that the raw one names, or "
        "means by a pronoun alone; what an animal or a person does something with is another thing than he"
    )
    columns: Columns = ()
    refused = Row("What is this water doing?", "penguin", "penguin", "taxonomic family", "Spheniscidae")
    passed = Row("How long do these animals sleep?", "cat", "cat", "young", "kitten")

    def decide(self, candidate: Candidate) -> Decision:
        """Look for the things of the re-selected key, and their kinds, in the words of the benchmark's question."""
        question = candidate.question
        reading, root = read(candidate.sample.question), question.root
        if question.kind != "reselected" or speaks_of(reading, root, _things(root)):
            return KEEP
        return Decision(keep=False, reason=self.name, detail=question.answer)


def _things(path: Sequence[Triplet]) -> Iterator[Entity]:
    """Give what is asked about: the end of a re-selected path, and what is no person or animal on it.

    What a dog plays with is another thing than the dog.
    """
    *before, last = (triplet.object for triplet in path)
    return chain((thing for thing in before if not is_animate(thing)), (last,))
