"""References for questions with "be" as the main verb: to an identity, a place, or the entity of a noun phrase."""

import re

from kbe_graph.errors import NoCandidate
from kbe_graph.question.clause import Clause
from kbe_graph.question.phrase import POINTING
from kbe_graph.question.tokens import STRANDED, Tokens, joined
from kbe_graph.wording.reference import Phrase, Reference, is_many, phrases, pointing_reference, relative

PLACES = {
    *(
        "place",
        "city",
        "country",
        "state",
        "continent",
        "town",
        "room",
        "location",
        "area",
        "region",
        "store",
        "park",
        "shop",
    ),
    *(
        "restaurant",
        "street",
        "part",
        "house",
        "building",
        "stadium",
        "setting",
        "environment",
        "habitat",
        "venue",
        "biome",
        "climate",
        "terrain",
    ),
}
TIMES = {"year", "month", "season", "century", "decade", "era", "period", "time"}
MAKERS = {
    "invented": "inventor",
    "makes": "maker",
    "made": "maker",
    "manufactures": "manufacturer",
    "produces": "producer",
    "designed": "designer",
    "created": "creator",
    "painted": "painter",
    "wrote": "author",
    "founded": "founder",
    "manufactured": "manufacturer",
    "owns": "owner",
    "sells": "seller",
    "built": "builder",
    "produced": "producer",
}
# Verbs that take no object, so that they belong to X in "What is the X standing there".
INTRANSITIVE = {
    *(
        "standing",
        "sitting",
        "hanging",
        "lying",
        "laying",
        "flying",
        "running",
        "walking",
        "growing",
        "swimming",
        "leaning",
    ),
    *("sticking", "floating", "facing", "sleeping", "grazing", "coming", "going", "protruding", "resting", "jumping"),
    *("shining", "looking", "moving", "surfing", "skiing", "driving"),
}
# Pronouns that stand for one object or several.
BARE = POINTING | {"it", "they"}
SEVERAL = {"these", "those", "they"}
SHOWN = {"shown", "seen", "pictured", "depicted"}
# Their passive still needs a complement (considered what).
NAMING = {"considered", "labeled"}
PEOPLE = {
    "man",
    "woman",
    "boy",
    "girl",
    "person",
    "child",
    "kid",
    "lady",
    "guy",
    "men",
    "women",
    "people",
    "kids",
    "children",
}
# Verbs that only say that something exists, so that the relative pronoun of a place is "where".
BEING_THERE = {"appear", "exist", "occur", "happen", "live", "thrive", "originate"}


NONE = "no noun phrase"
HEADS = {"what": "thing", "which": "thing", "who": "person", "whom": "person", "where": "place", "when": "time"}
CALLED = {"called", "named", "termed"}
_ACTIVITIES = {
    **dict.fromkeys(("doing", "do", "performing"), "activity"),
    **dict.fromkeys(("eat", "eating", "eats", "eaten"), "food"),
    **dict.fromkeys(("drink", "drinking"), "drink"),
    **dict.fromkeys(("celebrating", "celebrate", "celebrated"), "occasion"),
}
# Nouns that ask for an entity, not for a property of it.
THINGS = {
    *(
        "animal",
        "food",
        "sport",
        "activity",
        "person",
        "vehicle",
        "object",
        "item",
        "thing",
        "product",
        "fruit",
        "vegetable",
    ),
    *(
        "game",
        "toy",
        "plant",
        "bird",
        "character",
        "appliance",
        "utensil",
        "tool",
        "meal",
        "dish",
        "drink",
        "instrument",
    ),
}
# An entity is not referred to by what it only looks like: the animal that the shape of this is.
_FIGURE = re.compile(r"(?:the|this) (?:shape|form|outline|figure|silhouette|symbol)\b")


def head_of(clause: Clause, verb: str = "", last: str = "") -> str:
    """Choose the noun for the answer: the question's noun, or one that its other words imply."""
    if clause.noun:
        return f"one {clause.noun}" if clause.noun.startswith("of ") else clause.noun
    if verb in {"made", "constructed", "built", "composed"} and last in {"of", "from", "out", "with"}:
        return "material"
    head = HEADS[clause.word]
    return _ACTIVITIES.get(verb, head) if head == "thing" else head


def of_predicate(clause: Clause) -> Reference:
    """Build the reference for "What (noun) is (subject)?"."""
    subject, first = joined(clause.subject), clause.subject[0].low
    bare = first in BARE and (len(clause.subject) == 1 or clause.subject[1].tag in STRANDED)
    if clause.word == "where":
        return _where(clause, bare=bare and len(clause.subject) == 1)
    if clause.word == "when" or first in {"there", "a", "an", "some", "another"}:
        raise NoCandidate(NONE, f"{clause.word} is {subject!r}")
    if bare:
        return pointing_reference(_bare_head(clause, first), joined(clause.subject[1:]), many=first in SEVERAL)
    return property_of(clause, clause.subject) if clause.noun else description(clause.subject)


def _bare_head(clause: Clause, first: str) -> str:
    many = first in SEVERAL
    return (
        clause.noun or {"person": "people"}.get(HEADS[clause.word], "things")
        if many
        else clause.noun or HEADS[clause.word]
    )


def property_of(clause: Clause, subject: Tokens) -> Reference:
    """Build "the breed of the dog" from "What breed is the dog?", or "the animal the statue is" likewise."""
    noun, text = head_of(clause), joined(subject)
    plural = is_many(noun)
    kind, _, of = noun.partition(" of ")
    if of and of.split()[-1].rstrip("s") in {token.low.rstrip("s") for token in subject}:
        return Reference(phrases(f"the {kind} of {text}", plural=plural), "property")
    thing = (
        noun.split()[-1] in THINGS
        or (of and kind.split()[-1] not in {"style", "pattern", "period"})
        or "one" in text.split()
    )
    if thing and _FIGURE.match(text):
        raise NoCandidate(NONE, f"{noun} is only {text}")
    if thing and text.startswith(("a ", "an ")):
        return Reference(relative(noun, f"{clause.auxiliary} {text}", drop=False), "identity")
    if thing:
        return Reference(relative(noun, f"{text} {clause.auxiliary}", subject=text), "identity")
    return Reference(phrases(f"the {noun} of {text}", plural=plural), "property")


def _where(clause: Clause, *, bare: bool) -> Reference:
    if bare:
        place = f" {clause.noun}" if clause.noun else ""
        far = () if place else (Phrase("the place in this image"), Phrase("the place shown in this image"))
        return Reference((Phrase(f"this place{place}"), *far), "place")
    head = f"place {clause.noun}".strip()
    text = joined(clause.subject)
    return Reference(relative(head, f"{text} {clause.auxiliary}", "where", drop=False, subject=text), "place")


def description(subject: Tokens) -> Reference:
    """Build the reference to an entity that the question fully describes: "What is the structure over the train?"."""
    text, first = joined(subject), subject[0].low if subject else ""
    definite = first in {"the", "this", "that", "these", "those", "his", "her", "their", "its"}
    if (
        (not definite and "'s" not in text)
        or subject[-1].tag in {"VBZ", "VBP", "VBD"}
        or subject[-1].low in CALLED | {"be"}
        or " or " in text
        or " if " in text
    ):
        raise NoCandidate(NONE, f"what is {text!r}")
    return Reference(phrases(text, plural=is_many(text)), "described")


def about(subject: Tokens) -> Reference:
    """Build the reference to the entity of a noun phrase or of a bare pronoun."""
    if len(subject) == 1 and subject[0].low in BARE:
        return pointing_reference("things" if subject[0].low in SEVERAL else "thing")
    return description(subject)
