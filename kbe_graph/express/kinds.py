"""What kind a thing in a picture is of: what a question may call it without naming it."""

from kbe_graph.errors import NoCandidate
from kbe_graph.lexicon.usual import NONE, usual
from kbe_graph.lexicon.wordnet import wordnet
from kbe_graph.text import fold
from kbe_graph.types import Entity

# Kinds that a question may name, the narrow ones first.
KINDS = {
    "wn30:00015388-n": "animal",
    "wn30:04524313-n": "vehicle",
    "wn30:03405725-n": "piece of furniture",
    "wn30:03051540-n": "piece of clothing",
    "wn30:03800933-n": "musical instrument",
    "wn30:02778669-n": "ball",
    "wn30:04285146-n": "piece of sports equipment",
    "wn30:03528263-n": "appliance",
    "wn30:00017222-n": "plant",
    "wn30:00021265-n": "food",
    "wn30:07555863-n": "food",
    "wn30:02773037-n": "bag",
    "wn30:02774152-n": "bag",
    "wn30:02774630-n": "piece of luggage",
    "wn30:03153375-n": "piece of cutlery",
    "wn30:03094503-n": "container",
    "wn30:04451818-n": "tool",
}
_PERSON, _ANIMAL, _PEOPLE = "wn30:00007846-n", "wn30:00015388-n", "wn30:07942152-n"
_ROOM = "wn30:04105893-n"
_CLEAR = 3
# What is seen in most pictures is not asked for by its kind.
_COMMON = {"tree", "grass", "flower", "bush", "plant", "leaf", "trees", "flowers", "bushes", "leaves"}
# WordNet puts these under a kind that nobody would call them by (a seat is furniture, a cassette a container).
_NOT_CALLED_SO = {
    *("toilet seat", "bidet", "water tower", "cassette", "medicine chest", "wet bar", "seat belt", "dutch oven"),
    *("mailbox", "mail box", "table lamp", "conch", "horizontal bar", "balance beam", "ashcan", "passenger car"),
}


def kind_of(entity: Entity) -> str:
    """Return the kind that a question may call an entity, empty where there is none; raises NoCandidate for a person."""
    first = wordnet().lookup(entity.name.lower()).synsets[:1]
    if any(wordnet().is_a(one.id, _PERSON) for one in first):
        raise NoCandidate("asks for a person", entity.name)
    found = _sense(entity)
    above = {found, *wordnet().hypernyms(found)} if found else set()
    name = fold(entity.name)
    if name in _COMMON | _NOT_CALLED_SO:
        return ""
    return next(
        (noun for synset, noun in KINDS.items() if synset in above and name not in noun and name[-5:] != "board"), ""
    )


def _sense(entity: Entity) -> str:
    """Return the sense of an entity: its concept, else the usual one of what is seen, else the first where it is far more frequent."""
    if entity.concept.startswith("wn30:"):
        return entity.concept
    if known := usual(entity.name):
        return known.concept.removeprefix(NONE)
    senses = wordnet().senses(wordnet().lookup(entity.name.lower()).lemma)
    clear = len(senses) == 1 or (senses and senses[0][1] >= max(_CLEAR * senses[1][1], 1))
    return senses[0][0] if clear else ""


def is_animate(entity: Entity) -> bool:
    """Return whether a frequent sense of an entity is a living being that acts."""
    senses = wordnet().lookup(entity.name.lower()).synsets[:3]
    return any({one.id, *wordnet().hypernyms(one.id)} & {_PERSON, _ANIMAL, _PEOPLE} for one in senses)


def is_room(entity: Entity) -> bool:
    """Return whether an entity is a room: what is on its walls is not what it is on."""
    return any(wordnet().is_a(one.id, _ROOM) for one in wordnet().lookup(entity.name.lower()).synsets[:1])


def may_be(entity: Entity, kind: str) -> bool:
    """Return whether some sense of an entity is of a kind; what WordNet does not know may be anything."""
    senses = wordnet().lookup(entity.name.lower()).synsets
    wanted = {synset for synset, noun in KINDS.items() if noun == kind}
    return not senses or any(wanted & {one.id, *wordnet().hypernyms(one.id)} for one in senses)
