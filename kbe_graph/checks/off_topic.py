"""What is asked on from a re-selected question must stay with the raw one: of a thing whose kind that asks about."""

from collections.abc import Iterator

from kbe_graph.checks.chain import first_sense, nouns_in
from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import Columns, Row
from kbe_graph.english.concept import kinds_of, synset_of
from kbe_graph.english.words import words
from kbe_graph.question import Reading, read
from kbe_graph.question.outline import Outline
from kbe_graph.types import IMAGE, KEEP, Candidate, Decision, Question, Stage
from kbe_graph.wording.kind import is_animate

# Of what WordNet's files a thing is that a question may be about; how long, how old and what color are none.
_THINGS = {
    *("noun.animal", "noun.plant", "noun.food", "noun.artifact", "noun.object", "noun.substance", "noun.person"),
    "noun.Tops",
}
# By these verbs a question asks what goes on in the picture; what the thing is by its kind answers nothing of it.
_DEEDS, _DO = {"VBG", "VBN", "VBD"}, {"do", "does", "did"}


class OffTopic:
    """Refuses to go on from a re-selected question whose key holds nothing that the raw question asks about."""

    name = "off the topic"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = (
        "what goes on from a re-selected question must be about the first thing, or a kind of it, that the raw one "
        "names, and this must not ask why, where or whether something is so, nor what a thing does"
    )
    columns: Columns = ()
    refused = Row("What is this water doing?", "penguin", "penguin", "taxonomic family", "Spheniscidae")
    passed = Row("How long do these animals sleep?", "cat", "cat", "young", "kitten")

    def decide(self, candidate: Candidate) -> Decision:
        """Look for the things of the re-selected key, and their kinds, in the words of the benchmark's question."""
        question = candidate.question
        if question.kind != "reselected":
            return KEEP
        if asked := _of_the_moment(read(candidate.sample.question).outline):
            return Decision(keep=False, reason=self.name, detail=f"asks {asked}")
        named = {sense for senses in nouns_in(_first_thing(read(candidate.sample.question))) for sense in senses}
        if any(not named.isdisjoint(kinds_of(concept)) for concept in _concepts(question)):
            return KEEP
        return Decision(keep=False, reason=self.name, detail=question.answer)


def _first_thing(reading: Reading) -> str:
    """Return what a question is about: the first thing that it names, no aspect of it (the color of the cup)."""
    things = (phrase for phrase in reading.outline.phrases if phrase.seen and phrase.head not in words("aspects"))
    return next((phrase.name for phrase in things if _is_thing(phrase.name)), "")


def _is_thing(name: str) -> bool:
    synset = synset_of(first_sense(name))
    return synset is None or synset.lexname in _THINGS


def _of_the_moment(outline: Outline) -> str:
    """Return what a question asks of what goes on: why, where, whether, what a thing does or is for; else nothing."""
    if outline.kind != "what":
        return "" if outline.kind == "how" else outline.kind
    last = next((word for word in reversed(outline.words) if word.tag != "PUNCT"), None)
    does = any(word.fine in _DEEDS or word.low in _DO for word in outline.words if word.tag in {"VERB", "AUX"})
    return "what is done" if does or (last and last.tag == "ADP") else ""


def _concepts(question: Question) -> Iterator[str]:
    """Give the concepts of what is asked about: the end of the re-selected path, and what is no person or animal there.

    What a dog plays with is another thing than the dog. What the path starts from may be named by a synonym alone.
    """
    end = question.root[-1].object
    things = (entity for triplet in question.root for entity in (triplet.subject, triplet.object) if entity != IMAGE)
    return (entity.concept or first_sense(entity.name) for entity in things if entity == end or not is_animate(entity))
