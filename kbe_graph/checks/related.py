"""A re-selected question is about a thing that the original question mentions: no cow where weather was asked for."""

from collections.abc import Sequence

from kbe_graph.checks.chain import concept_of, nouns_in
from kbe_graph.checks.row import Row
from kbe_graph.english.concept import kinds_of
from kbe_graph.english.words import words
from kbe_graph.question import Reading, read
from kbe_graph.types import KEEP, Decision, Triplet


class RelatedToOriginal:
    """Refuses a path that holds nothing that the original question mentions."""

    name = "not related to the original question"
    rule = (
        "the original question must name a thing of the path, or a kind that it is, or point at what is seen and name "
        "nothing"
    )
    refused = Row("What is the weather like?", "horse", path="man > riding > horse")
    passed = Row("Is he fast?", "horse", path="man > riding > horse")

    def decide(self, question: str, path: Sequence[Triplet]) -> Decision:
        """Look for the things of the path, and their kinds, among the nouns of the original question."""
        reading = read(question)
        if reading.protected:
            return Decision(keep=False, reason=self.name, detail=reading.protected)
        nothing = words("aspects") | words("anything")
        spoken = [phrase.name for phrase in reading.outline.phrases if phrase.seen and phrase.head not in nothing]
        named = {sense for name in spoken for senses in nouns_in(name) for sense in senses}
        things = (concept_of(triplet.object) for triplet in path)
        if _points(reading, spoken) or any(not named.isdisjoint(kinds_of(thing)) for thing in things):
            return KEEP
        return Decision(keep=False, reason=self.name, detail=path[-1].object.name)


def _points(reading: Reading, spoken: Sequence[str]) -> bool:
    """Return whether a question has a pronoun for what is seen and no noun: it may mean whatever the image shows."""
    return not spoken and bool(reading.pronouns)
