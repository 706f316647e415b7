"""Whether an answer can be what a phrase calls it: people answer past the question, and "the thing" is no sport."""

import re
from collections.abc import Sequence

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import CALLED, Row
from kbe_graph.english.concept import kinds_of, synset_of
from kbe_graph.english.inflect import is_plural, singular
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.question import read
from kbe_graph.question.sought import category
from kbe_graph.types import KEEP, Candidate, Decision, Stage

_HEAD = re.compile(r"^(?:the |this |these |what )(?P<head>thing|person|people|place|material)?s?\b")
_WHAT = re.compile(r"^what (?!kind|type|sort)")
_PLAYS = re.compile(r"\bplay(?:s|ed|ing)?(?: in this image)?$")
_WORDS = re.compile(
    r"\b(?:name|nickname|word|term|title|slogan|weather|theme|topic|meaning|difference|choice)s? "
    r"(?:\w+ )?(?:of|for|in|to|that|which|shown|given|this)\b"
    r"|^this (?:name|nickname|weather)"
)
# Of what WordNet's files an answer may be (a person's file holds gods and roles as well).
_FILES = {
    "person": {"person", "group", "Tops"},
    "people": {"person", "group", "Tops"},
    "place": {"location", "artifact", "object", "group", "Tops", "event"},
    "material": {"substance", "artifact", "food", "plant", "animal", "object", "Tops", "body"},
}
_NO_THING = {
    "act",
    "location",
    "person",
    "group",
    "time",
    "event",
    "attribute",
    "state",
    "cognition",
    "feeling",
    "motive",
}
# What nothing is made of.
_NO_MATERIAL = ("structure", "furniture", "container", "vehicle", "animal")
# An answer of the file must be asked for by a noun of one of these files.
_STRONG = {
    "location": {"location", "object", "group"},
    "animal": {"animal", "food", "Tops", "group", "person"},
    "person": {"person", "group", "animal"},
    "act": {"act", "event", "cognition", "group", "communication", "state", "attribute"},
    "plant": {"plant", "food", "substance", "Tops", "object", "artifact", "group"},
    "food": {
        "food",
        "plant",
        "substance",
        "Tops",
        "artifact",
        "group",
        "animal",
        "cognition",
        "communication",
        "relation",
    },
    "artifact": {
        *("artifact", "Tops", "location", "group", "cognition", "communication", "substance", "relation"),
        *("object", "attribute", "possession", "state", "event", "food", "plant"),
    },
    "object": {"object", "location", "Tops", "cognition", "body", "group", "artifact", "phenomenon", "state", "event"},
}
_FAMILIES = {"family", "genus"}
# What only looks like an animal or a plant.
_FIGURES = {
    *(
        "toy",
        "statue",
        "figure",
        "figurine",
        "sculpture",
        "doll",
        "costume",
        "mask",
        "puppet",
        "balloon",
        "decoration",
        "picture",
    ),
    *("image", "design", "logo", "drawing", "shape", "painting", "print", "symbol", "pattern", "character", "paint"),
}
_LIVING = {"noun.animal", "noun.plant", "noun.food"}
_KIND_OF = re.compile(r"(?<= )(?:\w+ )?(?:kind|type|sort|breed|style|variety)s? of (?!(?:the|this|that|these|those)\b)")
# Where something lives is a kind of place, no city and no continent.
_UNNAMED = {"habitat", "environment", "terrain", "biome", "climate", "landscape", "setting"}
_ONE_OF_THESE = re.compile(
    r"\bthe most \w+ of (?:these|those)\b|^the recipes?\b|^(?:the )?kinds? of recipe|^the other\b"
    r"|\bserved by\b|\bor\b|\bknown as\b|\bclassified as\b|\b(?:sold|bought|purchased)\b|\bhobby\b|\bfood groups\b"
)
# Words for how much or what part of a thing is meant: what is true of an elephant is not asked of a herd.
_PORTION = re.compile(
    r"^(?:the|this|these|those) (?:(?:kind|type|sort)s? of )?(?:[\w'-]+ ){0,2}?"
    r"(?:forms?|herds?|flocks?|skylines?|regions?|pieces|subspecies|offspring"
    r"|parts? of the (?:world|country|earth))\b"
)
_BREED = re.compile(r"\bbreeds? of (?:the |this |that |these )?(?:bird|animal|fish|insect|plant|tree|creature)s?\b")
_FOR = re.compile(
    r"^(?!(?:the|this) (?:kind of )?(?:sport|game)\b).*\b(?:is|are) (?:usually |often |mainly )?used for"
    r"(?: in this image)?$"
)
_MIXED = re.compile(r"^(?:the|these|those) (?:[\w'-]+ ){0,3}?ingredients\b")
_SEVERAL = re.compile(
    r"^(?:the|these|those) (?:[\w'-]+ ){0,3}?"
    r"(?:ingredients|items|objects|countries|states|vitamins|nutrients|qualities)\b"
)
_SAYS_NOTHING = {"air", "food", "nutrient", "substance", "object", "vehicle", "plant", "animal", "homo"}


class NameAsked:
    """Refuses to ask on about an answer that is a name or a word, or anything else that words say about words."""

    name = "a name is asked for"
    stage: Stage = "question"
    reads: Reads = "reference"
    rule = "the first answer must be the thing itself: not its name, its title, the weather or a difference"
    columns = CALLED
    refused = Row(
        "What is the German name for this meal?",
        "soup",
        "soup",
        "dish",
        "bowl",
        called="the German name for this meal",
    )
    passed = Row("What is this dish?", "soup", "soup", "dish", "bowl", called="this dish")

    def decide(self, candidate: Candidate) -> Decision:
        """Look at the plainest phrase for the first answer."""
        text = candidate.called[0]
        return Decision(keep=False, reason=self.name, detail=text) if _WORDS.search(text) else KEEP


class Unfit:
    """Refuses a first answer that cannot be what the question calls it: people answer past the question."""

    name = "the answer does not fit"
    stage: Stage = "question"
    reads: Reads = "reference"
    rule = "the first answer must be able to be what the question calls it, and the only one that is called so"
    columns = CALLED
    refused = Row(
        "What is being used to play this sport?",
        "soccer",
        "soccer",
        "playing area",
        "field",
        called="the thing being used to play this sport",
    )
    passed = Row("What sport is this?", "soccer", "soccer", "playing area", "field", called="this sport")

    def decide(self, candidate: Candidate) -> Decision:
        """Compare the first answer's concept with the head of the phrase, and with the noun the question asks for."""
        detail = self._detail(candidate)
        return Decision(keep=False, reason=self.name, detail=detail) if detail else KEEP

    def _detail(self, candidate: Candidate) -> str:
        concept = candidate.question.root[-1].object.concept
        if candidate.from_raw and one_of_several(candidate.called, candidate.sample.answer):
            return "several things are asked for"
        question = candidate.sample.question if candidate.from_raw else ""
        return unfit(candidate.called[0], concept, question, described=candidate.pattern == "described")


def unfit(text: str, concept: str, question: str, *, described: bool = False) -> str:
    """Return why an answer cannot be what a phrase calls it, empty where it can or WordNet does not know it.

    ``described`` says that the phrase takes its head from what the question says of the thing, not from what it asks
    for.
    """
    if reason := _loose(text):
        return reason
    synset = synset_of(concept)
    if synset is None:
        return ""
    if nothing := says_nothing(concept):
        return nothing
    match = _HEAD.match(text)
    if described and _is_of_person(text) and not is_of_kind(synset.id, "person"):
        return f"{synset.lemmas[0]!r} is no {text!r}"
    head = "thing" if _WHAT.match(text) else (match["head"] or "") if match else ""
    if head:
        return "" if _may_be(synset, head) or _is_played(synset, text) else f"{synset.lemmas[0]!r} is no {head}"
    tidied = read(read(question).tidied)
    return _unlike(synset, _head(text) if described else tidied.asks_for if tidied.firm else "")


def one_of_several(called: Sequence[str], answer: str) -> bool:
    """Return whether several things are asked for (the ingredients, these countries) and one is answered."""
    return any(map(_MIXED.match, called)) or (any(map(_SEVERAL.match, called)) and not is_plural(answer))


def says_nothing(concept: str) -> str:
    """Return that an answer is a word for anything (food, an object), empty where it is not."""
    synset = synset_of(concept)
    return f"{synset.lemmas[0]!r} says nothing" if synset and synset.lemmas[0] in _SAYS_NOTHING else ""


def _is_of_person(text: str) -> bool:
    """Return whether a phrase's head is a person or a hand: what they do or hold was asked for, not they."""
    head = _head(text)
    first = wordnet().lookup(head).synsets[:1]
    return head in {"hand", "hands", "mouth"} or any(is_of_kind(synset.id, "person") for synset in first)


def _head(text: str) -> str:
    """Return the last word of a phrase before what follows its noun, without "kind of"."""
    text = _KIND_OF.sub("", text)
    words = re.split(r" (?:in|on|with|who|that|at|of|to|near|under|behind|\w+ing)\b", text.split(" ", 1)[-1])[0].split()
    return words[-1] if words else ""


def _loose(text: str) -> str:
    """Return what is loose about a phrase whatever answers it: a purpose is asked for, or one of several."""
    if _FOR.search(text):
        return "a purpose is asked for"
    if _BREED.search(text):
        return "only animals that are kept have breeds"
    if match := _PORTION.search(text):
        return f"{match[0]!r} is no word for one thing"
    return "one of several is asked for" if _ONE_OF_THESE.search(text) else ""


def _unlike(synset: Synset, noun: str) -> str:
    last = noun.rpartition(" ")[2]
    if last in _FAMILIES and "family" not in synset.gloss:
        return f"{synset.lemmas[0]!r} is no family"
    if synset.instance and last in _UNNAMED:
        return f"{synset.lemmas[0]!r} is no {noun}"
    if synset.lexname in _LIVING and singular(last) in _FIGURES:
        return f"{synset.lemmas[0]!r} is only shown"
    kinds = category(noun) if noun else ()
    wanted = _STRONG.get(synset.lexname.removeprefix("noun."))
    if noun == "part" or not kinds or wanted is None or {kind.id for kind in kinds} & set(kinds_of(synset.id)):
        return ""
    if synset.lexname == "noun.location":
        kinds = tuple(kind for kind in kinds if kind.lexname != "noun.group" or is_of_kind(kind.id, "nation"))
    fits = {kind.lexname.removeprefix("noun.") for kind in kinds} & wanted
    return "" if fits else f"{synset.lemmas[0]!r} is no {noun}"


def _is_played(synset: Synset, text: str) -> bool:
    return synset.lexname == "noun.act" and bool(_PLAYS.search(text))


def _may_be(synset: Synset, head: str) -> bool:
    file = synset.lexname.removeprefix("noun.")
    if head == "thing":
        return file not in _NO_THING
    if head == "place" and is_of_kind(synset.id, "conveyance"):
        return False
    return file in _FILES[head] and not (head == "material" and is_of_kind(synset.id, *_NO_MATERIAL))
