"""Eligibility of questions for operations that keep the answer, from the words and the picture's annotations."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.datasets.view import Box, Thing
from kbe_graph.english.inflect import lemmas, vocabulary
from kbe_graph.english.kinds import entity_type
from kbe_graph.english.same_thing import is_other_name
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.errors import KbeError
from kbe_graph.files.resources import data, rows
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

    ``objects`` are the annotated objects with their boxes, None without annotations; ``captions`` describe the picture,
    ``other_captions`` other pictures of the benchmark.

    >>> question = work.questions(run="raw")[0]
    >>> Original(work.samples()[0], question).accepted[0] == question.answer
    True
    """

    sample: Sample
    question: Question
    objects: tuple[Thing, ...] | None = None
    captions: tuple[str, ...] = ()
    other_captions: tuple[str, ...] = ()

    @property
    def accepted(self) -> tuple[str, ...]:
        """All answers that count as right: the gold answer, its aliases, and annotators' answers to a raw question."""
        people = () if self.question.hop else self.sample.answers
        return tuple(dict.fromkeys((self.question.answer, *self.question.aliases, *people)))


class Move(NamedTuple):
    """The new position of a point after an edit: ``scale`` times the old one, plus ``offset``; pixels."""

    scale: tuple[float, float] = (1.0, 1.0)
    offset: tuple[float, float] = (0.0, 0.0)

    def box(self, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        """Return a box (left, top, right, bottom) in its position after the edit.

        >>> Move(scale=(0.5, 0.5), offset=(10, 20)).box((0, 0, 100, 100))
        (10.0, 20.0, 60.0, 70.0)
        """
        (x, y), (right, down) = self.scale, self.offset
        return (box[0] * x + right, box[1] * y + down, box[2] * x + right, box[3] * y + down)


class Rewritten(NamedTuple):
    """The words of a question after one step."""

    text: str
    step: Step


class TextOperation:
    """A change of words; ``is_drawn`` and ``is_default`` are those of ``PictureOperation``."""

    name: str
    is_drawn = True
    is_default = True

    def refuse(self, original: Original) -> str:  # noqa: ARG002
        """Explain why the answer could change; empty if the operation is allowed."""
        return ""

    def rewrite(self, original: Original, text: str, rng: "np.random.Generator") -> Rewritten:
        """Rewrite a text that other steps may have rewritten already; raises NotEligible if no rule applies."""
        raise NotImplementedError


_LEAST_AREA, _MOST_AREA = 0.002, 0.05  # share of the picture, for a removable object
_OVERLAP = 0.05  # share of the smaller of two boxes
_LEAST_SIDE = 8  # minimum pixels of a hole's side
_INSIDE = 0.95  # share of a box; less means annotations of another picture or another size of it
_RIM = 0.015  # share of the picture's width; covers the shadow and edge outside an object's box
_SIDES = (0.36, 0.28, 0.22, 0.17)  # of an added object: shares of the picture's shorter side, largest first
_GRID = 24  # places tried in each direction
_HIGHEST_BOTTOM = 0.75  # share of the height; objects stand on the ground, in the lower part
_STUFF = frozenset(["noun.food", "noun.substance"])
_PEOPLE = frozenset(["who", "whom", "whose", "someone", "somebody", "anyone", "anybody", "everyone", "everybody"])
_KIND_OF = re.compile(r"\b(?:kind|type|sort)s? of (\w+)", re.IGNORECASE)
_PICTURE_ITSELF = re.compile(
    r"(?:kind|type|sort|style|genre) of (?:\w+ )?(?:photo|picture|image|photograph|shot)\b"
    r"|\b(?:photo|picture|image|photograph|shot)(?:'s)? (?:was |is |been |be )?(?:taken|made|shot|from|old|edited|in)\b"
    r"|\b(?:is|was) (?:this|the) (?:photo|picture|image|photograph|shot)\b",
    re.IGNORECASE,
)


Hole = tuple[int, int, int, int]
"""Area of a picture in which an object is added or removed: a box of whole pixels."""


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
    "scene": Topic("the whole scene is asked for", _of_list("scene aspects", "scene questions"), in_answers=False),
    "lettering": Topic("lettering or a brand is asked for", _of_list("lettering words"), in_answers=False),
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


def target_words(original: Original) -> frozenset[str]:
    """Return the lemmas of everything that a question is about: its text, answers, rationales and key."""
    sample, question = original.sample, original.question
    key = (end.name for triplet in question.key for end in (triplet.subject, triplet.object) if end.noun)
    texts = (question.text, sample.question, *original.accepted, sample.answer, *sample.choices, *sample.rationales)
    return frozenset(lemma for text in (*texts, *key) for lemma in (*lemmas(text), *_person_of(text)))


def _person_of(text: str) -> tuple[str, ...]:
    return () if vocabulary(text).isdisjoint(words("person words") | _PEOPLE) else ("person",)


@lru_cache(1 << 14)
def is_target(name: str, targets: frozenset[str]) -> bool:
    """Return True if a word may refer to a thing of this name: the same word, a synonym, or a more general one."""
    return any(is_other_name(target, name) for target in targets)


def removable(original: Original, size: tuple[int, int]) -> list[tuple[Thing, Hole]]:
    """Return the objects that can be removed from a picture of this size, each with the hole it leaves.

    Such an object is not what the question is about, is neither large nor tiny, and touches no other object. There are
    none if the annotations lack the topic of the question.
    """
    things = [(thing, thing.box) for thing in original.objects or () if thing.box]
    targets = target_words(original)
    if not any(is_target(thing.name, targets) for thing, _ in things):
        return []
    free = [(thing, box) for thing, box in things if not is_target(thing.name, targets)]
    return [
        (thing, hole)
        for thing, box in free
        if _has_size(box, hole := _hole(box, size), size)
        and not _touches(hole, (other_box for other, other_box in things if other is not thing))
    ]


def _has_size(box: Box, hole: Hole, size: tuple[int, int]) -> bool:
    whole, is_inside = size[0] * size[1], _area(_shared(box, (0, 0, *size))) >= _INSIDE * _area(box)
    return (
        is_inside
        and min(hole[2] - hole[0], hole[3] - hole[1]) >= _LEAST_SIDE
        and _area(box) >= _LEAST_AREA * whole
        and _area(hole) <= _MOST_AREA * whole
    )


def _hole(box: Box, size: tuple[int, int]) -> Hole:
    rim = round(size[0] * _RIM)
    x, y, end, bottom = map(round, box)
    return max(0, x - rim), max(0, y - rim), min(size[0], end + rim), min(size[1], bottom + rim)


def _touches(box: Box, others: Iterable[Box]) -> bool:
    return any(_area(_shared(box, other)) > _OVERLAP * min(_area(box), _area(other)) for other in others)


def _shared(box: Box, other: Box) -> Box:
    x, y = max(box[0], other[0]), max(box[1], other[1])
    return x, y, max(x, min(box[2], other[2])), max(y, min(box[3], other[3]))


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


class Addable(NamedTuple):
    """A common object: its name, and its width divided by its height."""

    name: str
    aspect: float


@cache
def addable_things() -> tuple[Addable, ...]:
    """Load the packaged table of common objects."""
    return tuple(Addable(name, float(aspect)) for _, (name, aspect) in rows(data("addable.tsv"), ("name", "aspect")))


def unnamed_things(original: Original) -> list[Addable]:
    """Return the objects that neither the question nor its answers nor the annotations name, not even by their kind.

    If a question asks for an animal, no animal is left; if the picture has a ball, no ball.
    """
    shown = (lemma for thing in original.objects or () for lemma in lemmas(thing.name))
    words = target_words(original) | {*shown, *original.accepted, *original.sample.choices}
    return [thing for thing in addable_things() if not is_target(thing.name, words)]


def is_target_known(original: Original) -> bool:
    """Return True if a target of the question has a box, so that no added object covers it."""
    targets = target_words(original)
    return any(is_target(thing.name, targets) for thing in original.objects or () if thing.box)


def free_place(size: tuple[int, int], boxes: Sequence[Box], aspect: float, rng: "np.random.Generator") -> Hole | None:
    """Draw a box of the given aspect that touches no other box, as large as fits; None if there is no room."""
    for side in (share * min(size) for share in _SIDES):
        wide, high = min(size[0], round(side * aspect**0.5)), min(size[1], round(side / aspect**0.5))
        if places := _free_places(size, boxes, (wide, high)):
            x, y = places[int(rng.integers(len(places)))]
            return x, y, x + wide, y + high
    return None


def _free_places(size: tuple[int, int], boxes: Sequence[Box], extent: tuple[int, int]) -> list[tuple[int, int]]:
    rim, (wide, high) = round(size[0] * _RIM), extent
    highest = max(0, round(size[1] * _HIGHEST_BOTTOM) - high)
    return [
        (x, y)
        for y in _steps(highest, size[1] - high)
        for x in _steps(0, size[0] - wide)
        if not any(
            x - rim < box[2] and box[0] < x + wide + rim and y - rim < box[3] and box[1] < y + high + rim
            for box in boxes
        )
    ]


def _steps(first: int, last: int) -> list[int]:
    return sorted({first + round((last - first) * step / (_GRID - 1)) for step in range(_GRID)})
