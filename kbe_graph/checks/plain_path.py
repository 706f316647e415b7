"""The key that a chain starts from must say in a few words, and truly, how its thing leads to the answer."""

import re

from kbe_graph.checks.chain import first_sense
from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import Columns, Row
from kbe_graph.english.concept import kinds_of, synset_of
from kbe_graph.english.inflect import singular
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import words
from kbe_graph.extract.topic import SCENE
from kbe_graph.question import read
from kbe_graph.question.property import KIND
from kbe_graph.types import KEEP, PRESUPPOSED, Candidate, Decision, Question, Stage, Triplet

LONGEST = 4
_UNSEEN = {"noun.group", "noun.location", "noun.cognition", "noun.attribute"}
# What a place has, by the words of the question, and nothing else that is seen: the plane of a country has no capital.
_OF_PLACES = re.compile(r"(?:capital|currency|anthem|(?:official|national|state|native) \w+)\b")
_PLACES = {"noun.location", "noun.object", "noun.group"}
_LIVING = {"noun.animal", "noun.plant"}
# No thing is called what its young or its females are.
_OF_SOME = re.compile(r"\b(?:young|bab(?:y|ies)|offspring|juveniles?|(?:fe)?males?|groups?)\b.* called\b")
# Where somebody is has a verb or a preposition: nobody has a state, but the one that he is on his way to.
_BARE_PLACES = {"country", "nation", "state", "city", "continent", "place"}
# What a question points at is the thing itself, and no word of what is told of it.
_POINTS = re.compile(r"\b(?:this|these|those)\b")
# What the thing does by the words of the question, and by itself does not; what it is considered is left out.
_NO_VERB = re.compile(r"of |(?:find|want|need|get)s\b|calls$|(?:considered|regarded|deemed|thought|believed)\b")


class PlainPath:
    """Refuses to go on from a key that repeats half of its question, or hangs the answer on the wrong thing."""

    name = "no plain path"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = (
        f"each relation of the key that the chain starts from must have at most {LONGEST} words, "
        "and its first thing be one that is seen and that has the answer, told by a name of it"
    )
    columns: Columns = ()
    refused = Row(
        "What will people avoid if they drive home?",
        "beer",
        "beer",
        "source plant",
        "barley",
        path="person > avoid if they drive home > beer",
    )
    passed = Row("What is the man drinking?", "beer", "beer", "source plant", "barley", path="man > drinking > beer")

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the key of the raw or the re-selected question."""
        root = candidate.question.root
        long = (triplet.relation for triplet in root if len(triplet.relation.split()) > LONGEST)
        wrong = next(long, "") or next(filter(None, map(_astray, root)), "")
        wrong = wrong or _unseen(root[0]) or _not_of_scene(candidate.question) or _of_some(candidate.question)
        wrong = wrong or _cut_short(root[-1])
        return Decision(keep=False, reason=self.name, detail=wrong) if wrong else KEEP


def _astray(triplet: Triplet) -> str:
    """Return the edge that calls a thing a kind of another that it cannot be: a fork that is broccoli."""
    name = triplet.subject.name.lower()
    head, answer = name.rpartition(" ")[2], synset_of(triplet.object.concept)
    is_named = triplet.relation in {KIND, "called"} and head not in words("anything")
    astray = (
        triplet.relation == name
        or bool(_NO_VERB.match(triplet.relation))
        or (bool(_OF_PLACES.match(triplet.relation)) and not _is_place(name))
        or (triplet.relation in _BARE_PLACES and _file(name) == "noun.person")
        or (
            is_of_kind(first_sense(triplet.relation), "body part")
            and not is_of_kind(triplet.object.concept, "body part")
        )
        or bool(_POINTS.search(triplet.relation))
        or (is_named and answer is not None and _is_none(head, answer))
    )
    return f"{name} {triplet.relation} {triplet.object.name.lower()}" if astray else ""


def _cut_short(triplet: Triplet) -> str:
    """Return the answer that is no name of the animal or plant that it is taken for: humming, for a kind of bird."""
    synset, name = synset_of(triplet.object.concept), triplet.object.name.lower()
    if synset is None or synset.lexname not in _LIVING or triplet.relation not in {KIND, "called"}:
        return ""
    joined = {_joined(form) for form in (name, singular(name))}
    is_name = synset in wordnet().lookup(name).synsets or not joined.isdisjoint(map(_joined, synset.lemmas))
    return "" if is_name else name


def _joined(name: str) -> str:
    return re.sub(r"[ _-]", "", name.lower())


def _is_place(name: str) -> bool:
    """Return whether a thing of a key is a place, or the whole scene."""
    synset = synset_of(first_sense(name))
    return name == SCENE.name.lower() or (synset is not None and synset.lexname in _PLACES)


def _file(name: str) -> str:
    synset = synset_of(first_sense(name))
    return synset.lexname if synset else ""


def _of_some(question: Question) -> str:
    """Return the words that ask what the young or the females of a thing are called, which it is not."""
    match = _OF_SOME.search(question.text.lower()) if question.kind == "raw" else None
    return match[0] if match else ""


def _is_none(noun: str, answer: Synset) -> bool:
    """Return whether an answer is nothing that a noun is a word for.

    A person, an animal, a food is of that sort by any sense; an artifact must stand below the noun or beside it (the
    quilt, for a blanket), and a game below the game (no skydiving).
    """
    if noun in words("person words"):
        return answer.lexname != "noun.person"
    senses = wordnet().lookup(singular(noun)).synsets
    above = {above for sense in senses for above in (sense.id, *sense.hypernyms)}
    if not senses or above & {answer.id, *kinds_of(answer.id)}:
        return False
    files = {sense.lexname for sense in senses}
    return answer.lexname == "noun.artifact" or noun == "game" or answer.lexname not in files


def _unseen(triplet: Triplet) -> str:
    """Return the thing that only the question's words say is there, if nobody could see it: a company, a nation."""
    if triplet.source != PRESUPPOSED or triplet.object == SCENE:
        return ""
    synset = synset_of(first_sense(triplet.object.name))
    return triplet.object.name.lower() if synset and synset.lexname in _UNSEEN else ""


def _not_of_scene(question: Question) -> str:
    """Return what the answer is told of, where the key tells it of the scene: the flag whose country is asked."""
    if question.kind != "raw" or question.root[0].object != SCENE:
        return ""
    reading = read(question.text)
    others = (phrase for phrase in reading.outline.phrases if phrase.determiner and phrase is not reading.outline.head)
    return (
        ""
        if reading.identity
        else next((phrase.name for phrase in others if phrase.seen and _is_told(phrase.determiner)), "")
    )


def _is_told(determiner: str) -> bool:
    return determiner in {"the", "this", "that", "these", "those"}
