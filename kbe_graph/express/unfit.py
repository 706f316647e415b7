"""Whether an answer can be what a phrase calls it: people answer past the question, and "the thing" is no sport."""

import re

from kbe_graph.express.raw_text import tidy
from kbe_graph.express.reference import Reference
from kbe_graph.lexicon.concept import kinds_of, synset_of
from kbe_graph.lexicon.inflect import is_plural, singular
from kbe_graph.lexicon.question import asked, category
from kbe_graph.lexicon.wordnet import Synset, wordnet

_HEAD = re.compile(r"^(?:the |this |these |what )(?P<head>thing|person|people|place|material)?s?\b")
_WHAT = re.compile(r"^what (?!kind|type|sort)")
_PLAYS = re.compile(r"\bplay(?:s|ed|ing)?(?: in this image)?$")
_WORDS = re.compile(
    r"\b(?:name|nickname|word|term|title|slogan|weather|theme|topic|meaning|difference|choice)s? (?:\w+ )?(?:of|for|in|to|that|which|shown|given|this)\b|^this (?:name|nickname|weather)"
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
_VEHICLE = "wn30:03100490-n"
# What nothing is made of.
_STRUCTURES = {"wn30:04341686-n", "wn30:03405725-n", "wn30:03094503-n", "wn30:04524313-n", "wn30:00015388-n"}
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
    r"|\bor\b|\bknown as\b|\bclassified as\b|\bhobby\b|\bfood groups\b"
)
_FOR = re.compile(r"\b(?:is|are) (?:usually |often |mainly )?used for(?: in this image)?$")
_MIXED = re.compile(r"^(?:the|these|those) (?:[\w'-]+ ){0,3}?ingredients\b")
_SEVERAL = re.compile(
    r"^(?:the|these|those) (?:[\w'-]+ ){0,3}?(?:ingredients|items|objects|countries|states|vitamins|nutrients|qualities)\b"
)
_SAYS_NOTHING = {"air", "food", "nutrient", "substance", "object", "vehicle", "plant", "animal"}
NAME = "a name is asked for"
_PERSON = "wn30:00007846-n"
_NATION = "wn30:08168978-n"
_NO_LAND = {"flag", "banner", "vehicle", "clothing", "garment"}


def unfit(reference: Reference, concept: str, question: str) -> str:
    """Return why an answer cannot be what its reference calls it, empty where it can or WordNet does not know it."""
    text = reference.phrases[0].text if reference.phrases else ""
    if reason := _loose(text):
        return reason
    synset = synset_of(concept)
    if synset is None:
        return ""
    if says_nothing(concept):
        return f"{synset.lemmas[0]!r} says nothing"
    match = _HEAD.match(text)
    if reference.rule == "described" and _is_of_person(text) and _PERSON not in kinds_of(synset.id):
        return f"{synset.lemmas[0]!r} is no {text!r}"
    head = "thing" if _WHAT.match(text) else (match["head"] or "") if match else ""
    if head:
        return "" if _may_be(synset, head) or _is_played(synset, text) else f"{synset.lemmas[0]!r} is no {head}"
    about = asked(tidy(question))
    described = reference.rule == "described"
    return _unlike(synset, _head(text) if described else about.noun if about.firm else "")


def one_of_several(reference: Reference, answer: str) -> bool:
    """Return whether several things are asked for (the ingredients, these countries) and one is answered."""
    texts = [phrase.text for phrase in reference.phrases]
    return any(map(_MIXED.match, texts)) or (any(map(_SEVERAL.match, texts)) and not is_plural(answer))


def says_nothing(concept: str) -> bool:
    """Return whether an answer is a word for anything (food, an object)."""
    synset = synset_of(concept)
    return synset is not None and synset.lemmas[0] in _SAYS_NOTHING


def _is_of_person(text: str) -> bool:
    """Return whether a phrase's head is a person or a hand: what they do or hold was asked for, not they."""
    head = _head(text)
    found = wordnet().lookup(head).synsets[:1]
    return head in {"hand", "hands", "mouth"} or any(wordnet().is_a(one.id, _PERSON) for one in found)


def _head(text: str) -> str:
    """Return the last word of a phrase before what follows its noun, without "kind of"."""
    text = _KIND_OF.sub("", text)
    words = re.split(r" (?:in|on|with|who|that|at|of|to|near|under|behind|\w+ing)\b", text.split(" ", 1)[-1])[0].split()
    return words[-1] if words else ""


def _loose(text: str) -> str:
    """Return what is loose about a phrase whatever answers it: a name is asked for, or one of several."""
    if not text or _WORDS.search(text):
        return NAME
    if _FOR.search(text):
        return "a purpose is asked for"
    return "one of several is asked for" if _ONE_OF_THESE.search(text) else ""


def _unlike(synset: Synset, noun: str) -> str:
    last = noun.rpartition(" ")[2]
    if noun in _FAMILIES and "family" not in synset.gloss:
        return f"{synset.lemmas[0]!r} is no family"
    if synset.instance and last in _UNNAMED:
        return f"{synset.lemmas[0]!r} is no {noun}"
    if synset.lexname in _LIVING and singular(last) in _FIGURES:
        return f"{synset.lemmas[0]!r} is only shown"
    kinds = category(noun) if noun else ()
    wanted = _STRONG.get(synset.lexname.removeprefix("noun."))
    if noun == "part" or not kinds or wanted is None or {kind.id for kind in kinds} & set(kinds_of(synset.id)):
        return ""
    land = synset.lexname == "noun.location"
    if land:
        kinds = tuple(kind for kind in kinds if kind.lexname != "noun.group" or _NATION in kinds_of(kind.id))
    fits = {kind.lexname.removeprefix("noun.") for kind in kinds} & wanted
    return "" if fits and not (land and last in _NO_LAND) else f"{synset.lemmas[0]!r} is no {noun}"


def _is_played(synset: Synset, text: str) -> bool:
    return synset.lexname == "noun.act" and bool(_PLAYS.search(text))


def _may_be(synset: Synset, head: str) -> bool:
    file, kinds = synset.lexname.removeprefix("noun."), set(kinds_of(synset.id))
    if head == "thing":
        return file not in _NO_THING
    if head == "place" and _VEHICLE in kinds:
        return False
    return file in _FILES[head] and not (head == "material" and _STRUCTURES & kinds)
