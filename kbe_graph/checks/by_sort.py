"""Whether a phrase asks for its thing by a word for its sort alone: the bird in this image, and no hint at which."""

import re

from kbe_graph.english.concept import synset_of
from kbe_graph.english.inflect import singular
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.words import words
from kbe_graph.question.sought import is_kind
from kbe_graph.text import fold
from kbe_graph.types import Entity
from kbe_graph.wording.fitting import OF_KIND

_DETERMINER = re.compile(r"^(?:the|this|these) ")
_LEVEL = re.compile(r"\b(?:species|breed)s?\b")  # a duck is none
# Where it is may be told, and who has it; what is done with it tells what it is: what men ride, what is above a stove.
_PLAIN = re.compile(
    r"^[\w-]+(?: (?:that|which) (?:is|are))?(?: being(?: \w+)?)?"
    r"(?: (?:shown|pictured|seen|displayed|featured|depicted|visible|used|here|there))*"
    r"(?: (?:that )?(?:(?:the|this|these) [\w ]+|he|she|they) (?:is|are) (?:holding|eating|drinking|wearing|playing))?"
    r"(?: (?:in|on|at|to|of|behind|near|next to|in front of) [\w' -]+)?$"
)


def is_by_sort(text: str, thing: Entity) -> bool:
    """Return whether a thing that is named whole is of the sort that a phrase calls it by, and tells no more of it.

    >>> giraffe = Entity("GIRAFFE", concept="wn30:02439033-n")
    >>> is_by_sort("the kind of animal on the left", giraffe), is_by_sort("the animal that the man feeds", giraffe)
    (True, False)
    """
    synset = synset_of(thing.concept)
    match = OF_KIND.match(text)
    noun = _DETERMINER.sub("", match[2] if match else text)
    first = singular(noun.partition(" ")[0])
    if synset is None or _LEVEL.search(text) or not _PLAIN.match(noun) or first not in words("sorts"):
        return False
    is_whole = singular(fold(thing.name)) in map(fold, synset.lemmas)
    is_of_sort = is_of_kind(synset.id, "musical instrument") if first == "instrument" else is_kind(synset.id, first)
    return is_whole and is_of_sort
