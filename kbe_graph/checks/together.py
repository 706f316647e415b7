"""Relations that do not go together, nor with what the first answer is called."""

import re

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import CALLED, FACT, Row
from kbe_graph.english.inflect import singular
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.wordnet import wordnet
from kbe_graph.facts.pack import Pack
from kbe_graph.types import KEEP, Candidate, Decision, Stage
from kbe_graph.wording.fitting import fitting
from kbe_graph.wording.phrases import relations_of
from kbe_graph.wording.reference import Phrase, head_word

# What is asked of living things alone reads ill of what is made of them (the young of the wood).
_STUFF = re.compile(r"\b(?:wood|material|flavou?r|meat|fabric|leather)\b")
# What only looks like a living thing, is a word or not there: what dolls depict, letters spell, a herd looks out for.
_UNREAL = re.compile(
    r"\b(?:depicts?|(?:depicted|painted|printed) on|unseen|letters?|names?|words?|spells?|mimick?\w*|resembl\w+"
    r"|look(?:s|ing)? (?:like|out)|model+ed|dressed|costume|stuffed|supposed to be"
    r"|art|paintings?|drawings?|named after|predators?|wary|afraid|wearing|represent(?:s|ing)?|portray\w*"
    r"|(?:imit|replic)at\w+)\b"
)
_PRODUCE = {"fruit", "vegetable", "species"}
_WORD = re.compile(r"\w+")


class Together:
    """Refuses a last relation that does not go with those before, however the first answer is spoken of."""

    name = "relations do not go together"
    stage: Stage = "question"
    reads: Reads = "relations"
    rule = (
        "no relation may go back on those before it or lead astray from them, nor be asked of what is only a word, nor "
        "a word of another language be asked for what a fact leads to"
    )
    columns = FACT
    refused = Row("What is used to eat?", "chef", "chef", "product", "pizza", path="pizza > maker > chef")
    passed = refused._replace(relation="workplace", object="kitchen")

    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    def decide(self, candidate: Candidate) -> Decision:
        """Compare the last relation with those before it."""
        *before, last = relations_of(self._pack, candidate.relations)
        astray = (relation for relation in before if relation.word or relation.name in last.not_after)
        wrong = before[-1] if before and last.asked_of == "sort" else next(astray, None)
        if wrong:
            return Decision(keep=False, reason=self.name, detail=f"{wrong.name}, {last.name}")
        return KEEP


class Unasked:
    """Refuses relations that are not asked of what the first answer is called."""

    name = "relation not asked of the phrase"
    stage: Stage = "question"
    reads: Reads = "reference"
    rule = (
        "nothing of living things alone may be asked of what is made of them, served as food or only looks like them, "
        "nor the currency of where a thing was made"
    )
    columns = CALLED
    refused = Row("What wood is this?", "oak", "oak", "fruit", "acorn", called="this type of wood")
    passed = refused._replace(called="this type of tree")

    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the plainest phrase for the first answer."""
        relations = relations_of(self._pack, candidate.relations)
        concept = candidate.question.root[-1].object.concept
        called = next((text for text, _ in fitting((Phrase(candidate.called[0]),), concept, relations[0])), "")
        words = set(_WORD.findall(called))
        wrong = next((relation for relation in relations if not words.isdisjoint(relation.not_called)), None)
        of_life = relations[0].asked_of == "living thing" or relations[0].family == "taxonomy"
        is_unreal = (of_life or relations[0].asked_of == "sort") and _UNREAL.search(called)
        if wrong is None and (is_unreal or (of_life and not _is_living(called))):
            wrong = relations[0]
        return Decision(keep=False, reason=self.name, detail=f"{called}, {wrong.name}") if wrong else KEEP


def _is_living(called: str) -> bool:
    """Return whether a phrase is for a living thing, a fruit or a vegetable by its head: no hazard, no wood."""
    head = singular(head_word(called))
    living = any(is_of_kind(synset.id, "organism") for synset in wordnet().lookup(head).synsets)
    return not _STUFF.search(called) and (living or head in _PRODUCE)
