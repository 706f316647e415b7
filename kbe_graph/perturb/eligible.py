"""Eligibility of questions for operations that keep the answer, from the words of a question and its answers."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.datasets.view import Thing
from kbe_graph.english.inflect import lemmas, vocabulary
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import entity_type, words
from kbe_graph.errors import KbeError
from kbe_graph.types import Question, Sample

if TYPE_CHECKING:
    import numpy as np

Step = Mapping[str, Any]
"""One drawn operation: its name under ``operation``, and its parameters as plain JSON values."""


class NotEligible(KbeError):
    """A question that an operation cannot change without risk to its answer; the message is the counted reason."""


class VariantRejected(KbeError):
    """A finished variant that a check rejected; the message is the counted reason."""


@dataclass(frozen=True, slots=True)
class Original:
    """The unchanged question, with everything known about its picture.

    ``objects`` are the annotated objects with their boxes.

    >>> question = work.questions(run="raw")[0]
    >>> Original(work.samples()[0], question).accepted[0] == question.answer
    True
    """

    sample: Sample
    question: Question
    objects: tuple[Thing, ...] = ()

    @property
    def accepted(self) -> tuple[str, ...]:
        """All answers that count as right: the gold answer, its aliases, and annotators' answers to a raw question."""
        people = () if self.question.hop else self.sample.answers
        return tuple(dict.fromkeys((self.question.answer, *self.question.aliases, *people)))

    @property
    def guarded(self) -> tuple[str, ...]:
        """The names that changed words must not give away: the accepted answers, and those of an evolved chain."""
        if not self.question.hop:
            return self.accepted
        ends = (end.name for triplet in self.question.explored for end in (triplet.subject, triplet.object))
        return tuple(dict.fromkeys((*self.accepted, self.sample.answer, *self.sample.answers, *ends)))


class Rewritten(NamedTuple):
    """The words of a question after one step."""

    text: str
    step: Step


class TextOperation(NamedTuple):
    """A change of words; ``is_drawn`` is that of ``PictureOperation``.

    ``rewrite`` takes a text that other steps may have rewritten already; it raises NotEligible if no rule applies.
    """

    name: str
    rewrite: Callable[[Original, str, "np.random.Generator"], Rewritten]
    is_drawn: bool = True


_STUFF = frozenset(["noun.food", "noun.substance"])
_KIND_OF = re.compile(r"\b(?:kind|type|sort)s? of (\w+)", re.IGNORECASE)
_PICTURE_ITSELF = re.compile(
    r"(?:kind|type|sort|style|genre) of (?:\w+ )?(?:photo|picture|image|photograph|shot)\b"
    r"|\b(?:photo|picture|image|photograph|shot)(?:'s)? (?:was |is |been |be )?(?:taken|made|shot|from|old|edited|in)\b"
    r"|\b(?:is|was) (?:this|the) (?:photo|picture|image|photograph|shot)\b",
    re.IGNORECASE,
)
_STANDS_OUT = re.compile(
    r"\b(unusual|odd|strange|weird|wrong|out of place|foreground|background|closest|nearest|largest|biggest|smallest"
    r"|tallest|main|on the (ground|floor|table)|where|room|place|location|indoors?|inside|outdoors?|outside|out of)\b",
    re.IGNORECASE,
)


class Topic(NamedTuple):
    """A topic of questions that an operation would affect: the counted reason, and a test of texts.

    With ``in_answers``, the answers and the key are tested as well as the question.
    """

    reason: str
    fits: Callable[[str], bool]
    in_answers: bool


def _of_list(*names: str) -> Callable[[str], bool]:
    return lambda text: not vocabulary(text).isdisjoint(frozenset[str]().union(*map(words, names)))


def _names_colour(text: str) -> bool:
    return _of_list("colour words")(text) or any(map(wordnet().is_colour, vocabulary(text)))


def _names_stuff(text: str) -> bool:
    return _of_list("food words")(text) or any(map(_is_stuff, lemmas(text)))


def _is_stuff(noun: str) -> bool:
    kinds = (synset.lexname for synset in wordnet().synsets(noun) if not synset.instance)
    return next((kind for kind in kinds if kind != "noun.plant"), "") in _STUFF


def _asks_species(text: str) -> bool:
    named = (entity_type(noun) for noun in _KIND_OF.findall(text))
    return _of_list("species words")(text) or not {"animal", "plant"}.isdisjoint(named)


def _names_making(text: str) -> bool:
    return _of_list("picture making words")(text) or bool(_PICTURE_ITSELF.search(text))


def _stands_out(text: str) -> bool:
    return bool(_STANDS_OUT.search(text))


def _counts(text: str) -> bool:
    return _of_list("counting words", "numbers")(text) or any(sign.isdigit() for sign in text)


TOPICS: Mapping[str, Topic] = {
    "colour": Topic("a colour is asked for or answered", _names_colour, in_answers=True),
    "stuff": Topic("food or a material, which is known by its colour, is asked for or answered", _names_stuff, True),
    "species": Topic(
        "a species, breed, flag or team, which is known by its colours, is asked for", _asks_species, False
    ),
    "light": Topic("light, hour or weather is asked for or answered", _of_list("light words"), in_answers=True),
    "side": Topic("a place in the frame is asked for or answered", _of_list("side words"), in_answers=True),
    "counting": Topic("things are counted", _counts, in_answers=True),
    "lettering": Topic("lettering or a brand is asked for", _of_list("lettering words"), in_answers=False),
    "outstanding": Topic("the scene, or a thing that stands out, is asked for", _stands_out, in_answers=False),
    "picture making": Topic("how the picture was made is asked for", _names_making, in_answers=False),
}


def first_reason(original: Original, *topics: str) -> str:
    """Return the reason of the first of ``topics`` that a question is about; empty if none.

    A raw question is tested with its choices and the answers of at least three annotators, a hop with the visual part
    of its key.
    """
    for topic in (TOPICS[name] for name in topics):
        texts = (original.question.text, *(_shown_words(original) if topic.in_answers else ()))
        if any(map(topic.fits, texts)):
            return topic.reason
    return ""


def _shown_words(original: Original) -> Iterator[str]:
    yield from (original.question.answer, *original.question.aliases)
    yield from (triplet.object.name for triplet in original.question.key if triplet.graph == "visual")
    if not original.question.hop:
        yield from (*original.sample.choices, *original.sample.agreed)
