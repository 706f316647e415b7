"""A re-selected question asks for a thing that the raw one speaks of: no cow where the weather was asked for."""

from collections.abc import Sequence

from kbe_graph.checks.chain import first_sense, nouns_in
from kbe_graph.checks.row import Row
from kbe_graph.english.concept import kinds_of
from kbe_graph.english.words import words
from kbe_graph.question import Reading, read
from kbe_graph.types import IMAGE, KEEP, Decision, Triplet


class Beside:
    """Refuses a path that holds nothing that the raw question speaks of."""

    name = "beside the question"
    rule = (
        "the raw question must name a thing of the path, or a kind of thing that it is, other than by a word for all "
        "food; or speak of what is seen by a pronoun and no noun"
    )
    refused = Row("What is the weather like?", "cow", path="cow")
    passed = Row("Is he fast?", "horse", path="man > riding > horse")

    def decide(self, question: str, path: Sequence[Triplet]) -> Decision:
        """Look for the things of the path, and their kinds, in the noun phrases of the benchmark's question."""
        reading = read(question)
        named = {
            sense
            for name in _things(reading)
            if name.rpartition(" ")[2] not in words("food words")
            for senses in nouns_in(name)
            for sense in senses
        }
        seen = (entity for triplet in path for entity in (triplet.subject, triplet.object) if entity != IMAGE)
        kinds = (kinds_of(thing.concept or first_sense(thing.name)) for thing in seen)
        if any(not named.isdisjoint(each) for each in kinds) or _points(reading):
            return KEEP
        return Decision(keep=False, reason=self.name, detail=path[-1].object.name)


def _things(reading: Reading) -> list[str]:
    """Return the noun phrases that may name a thing; neither the picture nor what is asked of a thing does."""
    phrases = (phrase for phrase in reading.outline.phrases if phrase.seen)
    return [phrase.name for phrase in phrases if phrase.head not in words("aspects") | words("anything")]


def _points(reading: Reading) -> bool:
    """Return whether a question has a pronoun for what is seen, and no noun: it may mean whatever the image shows.

    Where this is, or when it was, is asked of the image.
    """
    of_image = {"this", "that"} if reading.kind in ("where", "when") else set()
    return not _things(reading) and not set(reading.pronouns) <= words("picture words") | of_image
