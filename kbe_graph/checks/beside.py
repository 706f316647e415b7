"""A re-selected question asks for a thing that the raw one speaks of: no cow where the weather was asked for."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from kbe_graph.checks.chain import concept_of, first_sense, nouns_in
from kbe_graph.checks.row import Row
from kbe_graph.english.concept import kinds_of, synset_of
from kbe_graph.english.inflect import is_plural, singular
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.extract.scene import related
from kbe_graph.question import Reading, read
from kbe_graph.question.phrase import NounPhrase
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Decision, Entity, Triplet
from kbe_graph.wording.kind import is_animate, is_kind_noun, kind_of, may_be

_ONE, _MANY = {"he", "him", "his", "she", "her"}, {"they", "them", "their"}
_HELD = {"hold", "hand"}
# Where sorts are counted, several are seen.
_SORTS = re.compile(
    r"\b(?:how many|(?:what|which) number of) (?:\w+ ){0,2}(?:species|kinds|types|sorts|breeds|varieties)\b"
)
# Who is told by what he wears or where he is, is one of several.
_TOLD = re.compile(
    r"(?:wearing|dressed|in (?:all|an?|black|blue|brown|gr[ae]y|green|orange|pink|purple|red|white|yellow)"
    r"|in the (?!image|picture|photo|wild)|with (?:an?|the|no)"
    r"|(?:on|at|to) the (?:\w+ )?(?:left|right|side|end|front|back)|closest|nearest|farthest|furthest)\b"
)
# What is where another thing is asked about only says where that is: the pillow case behind the cat.
_LANDMARK = re.compile(
    r"\b(?:around|on|near|behind|beside|next to|in front of|above|below|inside|over|under(?:neath)?|beneath|across from"
    r"|field of)$"
)
_OF_SCENE = re.compile(
    r"\b(?:rain(?:ing|y)?|sunny|snow(?:ing|y)|cloudy|windy|wet|humid|cold|warm|night|day(?:time)?|morning|evening"
    r"|\d+'?s)\b"
)
# Who answers so tells that what looks like an animal is none.
_MADE = re.compile(
    r"\b(?:(?:man)?made|placed|fake|metal|wood(?:en)?|stone|plastic|paint(?:ed)?|carved|stuffed|printed|drawn|built)\b"
)
_SHAPED = re.compile(r"\b(?:baked|carved|knit(?:ted)?|mold(?:ed)?|sculpted|sewn|this \w+ made (?:of|from|out))\b")
# Where something is, another thing is asked about: what are the cats on top of, what is the field they are in called.
_PLACED = re.compile(
    r"(?<!\bfamous )(?<!\bfeatured )\b(?:on|onto|on top of|in|inside|under|underneath|behind|beside|near|next to|by"
    r"|over|at)(?: called)?$"
)
# What a picture itself is called says nothing of what it shows.
_OF_PICTURE = re.compile(r"\b(?:pictures?|photos?|images?) like\b|\btaken from\b")
_HELD_FILES = {"noun.artifact", "noun.food", "noun.plant"}


class Beside:
    """Refuses a path that holds nothing that the raw question speaks of."""

    name = "beside the question"
    rule = (
        "the raw question must name a thing of the path, or a kind of thing that it is, other than by a word for all "
        "food; or speak of what is seen by a pronoun and no noun; and not of several people where the path has one, of "
        "one whom clothes or a place tell apart, of another thing of the end's kind, of another thing that is held, or "
        "of one that the path's thing only tells the place of; nor ask what the end is, or for a thing of another kind "
        "without naming the end, or for the brand of what is an animal, or who invented a sport; nor be answered by a "
        "thing of the end's kind, but where it names the end and asks what sort of it this is, or what belongs to it; "
        "nor speak of a toy or a statue where the end is an animal or a vehicle, nor be answered by what one is made "
        "of, where it is an animal"
    )
    refused = Row("What is the weather like?", "cow", path="cow")
    passed = Row("Is he fast?", "horse", path="man > riding > horse")

    def decide(self, question: str, path: Sequence[Triplet], *, many: bool = False, answer: str = "") -> Decision:
        """Look for the things of the path, and their kinds, in the noun phrases of the benchmark's question.

        ``many`` says that what the path's end hangs on stands for several things, ``answer`` is the benchmark's.
        """
        reading = read(question)
        others = chain(
            _made(question, answer, path[-1].object),
            _answers(reading, answer, path),
            _held_too(answer, path[-1]),
            _astray(reading, path, many=many),
        )
        if other := next(others, ""):
            return Decision(keep=False, reason=self.name, detail=other)
        if speaks_of(reading, path, [triplet.object for triplet in path]):
            return KEEP
        return Decision(keep=False, reason=self.name, detail=path[-1].object.name)


def speaks_of(reading: Reading, path: Sequence[Triplet], things: Iterable[Entity]) -> bool:
    """Return whether a question names one of the ``things`` of a path, or a kind of one, or points at what is seen.

    A lone thing that is no animal must be named: "this" may be another thing.
    """
    things, spoken = list(things), _things(reading)
    concepts = [concept_of(thing) for thing in things]
    named = {
        sense
        for name in spoken
        if words("food words").isdisjoint(name.split())
        for senses in nouns_in(name)
        for sense in senses
    }
    if any(not named.isdisjoint(kinds_of(concept)) for concept in concepts):
        return True
    if any(kind_of(thing) == "vehicle" for thing in things) and not words("vehicle words").isdisjoint(spoken):
        return True
    return _points(reading) and (len(path) > 1 or is_animate(path[-1].object))


def _made(question: str, answer: str, end: Entity) -> Iterator[str]:
    """Give the words of a question or its answer by which what looks like an animal is none."""
    sense = concept_of(end)
    if is_of_kind(sense, "animal", "vehicle"):
        yield from sorted(words("likenesses") & {*fold(question).split(), *fold(answer).split()})
    if is_of_kind(sense, "animal"):
        yield from (match[0] for match in (_SHAPED.search(question.lower()), _MADE.search(answer.lower())) if match)


def _answers(reading: Reading, answer: str, path: Sequence[Triplet]) -> Iterator[str]:
    """Give the kind of thing that a question itself asks for, or its answer where that is of the end's kind.

    What is asked again is no new question, and what contradicts the answer, or is wider than it, no right one. The
    answer to what breed a horse is, what hunts it or whether it is male says nothing against its being a horse.
    """
    end = path[-1].object
    kind, name, answered = kind_of(end), end.name.lower(), fold(answer).split()
    if not kind:
        return
    asks_for = [singular(word) for word in reading.asks_for.split()]
    is_named = any(_is_called(thing, end) or thing == kind for thing in _things(reading))
    first = asks_for[:1] if reading.firm else []  # what is this animals main food: it asks for no animal
    for asked in dict.fromkeys((*first, *asks_for[-1:])):
        if _asks_again(asked, path) or (is_kind_noun(asked) and not is_named):
            yield asked
    if kind == "animal" and reading.asks("brand") and not is_named:
        yield "brand"
    if kind == "sport" and reading.property == "invented by":  # he may tell that it is no surfing but kitesurfing
        yield reading.property
    of_kind = [word for word in answered if kind_of(Entity(word.upper())) == kind]
    is_told_more = is_named and (
        reading.kind == "whether"
        or any(_is_called(asked, end) for asked in asks_for[-1:])
        or any(phrase.head in words("more of a thing") for phrase in reading.outline.phrases)
    )
    if not is_told_more and (
        any(not related(word, name) or word == answered[-1] for word in of_kind)
        or related(answer.lower(), name)
        or (wordnet().knows(fold(answer)) and may_be(Entity(fold(answer).upper()), kind))
        or wordnet().lookup(f"{answer.lower()} {name}").lemma == f"{answer.lower()} {name}"  # polar, for a bear
    ):
        yield answer


def _asks_again(asked: str, path: Sequence[Triplet]) -> bool:
    """Return whether what a question asks for is a wider word for the end of a path, or its own word.

    Its own does no harm where it stands alone, and what sorts it has are called by it as well.
    """
    end = path[-1].object
    if asked in words("anything"):
        return False
    if asked == kind_of(end) or (kind_of(end) == "vehicle" and asked in words("vehicle words")):
        return True
    if _is_called(asked, end):
        return len(path) > 1 or kind_of(end) == "vehicle"  # a glider is no mere plane, but a mustang is a horse
    return first_sense(asked) in kinds_of(concept_of(end))


def _is_called(name: str, end: Entity) -> bool:
    """Return whether a name is that of an end, or of its very sense: a plane is an airplane."""
    return name == fold(end.name) or (bool(name) and first_sense(name) == concept_of(end))


def _held_too(answer: str, last: Triplet) -> Iterator[str]:
    """Give what an answer says that somebody has in his hands beside the end: what is she doing, using a phone."""
    if last.relation.startswith("holding"):
        names = (word for word in answer.lower().split() if not related(word, last.object.name.lower()))
        yield from (name for name in names if not _is_of_anything(name, last.object))


def _things(reading: Reading) -> list[str]:
    """Return the noun phrases that may name a thing; neither the picture nor what is asked of a thing does."""
    first, *others = reading.outline.phrases or (None,)
    phrases = [first, *(phrase for phrase in others if not _LANDMARK.search(_before(reading, phrase)))]
    no_things = words("aspects") | words("anything") | words("animal roles")
    return [phrase.name for phrase in phrases if phrase and phrase.seen and phrase.head not in no_things]


def _before(reading: Reading, phrase: NounPhrase) -> str:
    """Return the words before a noun phrase."""
    return " ".join(word.low for word in reading.words[: phrase.start])


def _astray(reading: Reading, path: Sequence[Triplet], *, many: bool) -> Iterator[str]:
    """Give what the question says of other things than the path: of people, of the end's kind, or of what is held."""
    if reading.protected:
        yield reading.protected
    *_, last = path
    if is_of_kind(first_sense(last.subject.name), "person", "people"):
        numbers = set(_numbers_of_people(reading))
        if numbers == {not many}:
            yield "one person" if many else "several people"
    if match := _SORTS.search(reading.tidied):
        yield match[0]
    yield from _told_apart(reading, path)
    if len(path) == 1 and (match := _PLACED.search(reading.tidied)):
        yield match[0]
    things = [name for name in _things(reading) if not _is_known(name, path)]
    kind = kind_of(last.object)
    yield from (name for name in things if kind and kind_of(Entity(name.upper())) == kind)
    if last.relation.startswith("holding") and any(word.lemma in _HELD for word in reading.words):
        yield from (name for name in things if not _is_of_anything(name, last.object))


def _numbers_of_people(reading: Reading) -> Iterator[bool]:
    """Give for each person, or people, that a question speaks of whether they are several."""
    for phrase in reading.outline.phrases:
        if is_of_kind(first_sense(phrase.name), "person", "people"):
            yield is_plural(reading.words[phrase.end - 1].low)
    for word in reading.words:
        if word.low in _ONE | _MANY:
            yield word.low in _MANY


def _told_apart(reading: Reading, path: Sequence[Triplet]) -> Iterator[str]:
    """Give whom or what of the path the question tells apart from others of the kind."""
    senses = [concept_of(triplet.object) for triplet in path]
    kinds = {kind for sense in senses for kind in kinds_of(sense)}
    people = any(is_of_kind(sense, "person", "people") for sense in senses)
    for phrase in reading.outline.phrases:
        sense = first_sense(phrase.name)
        if sense in kinds or (people and is_of_kind(sense, "person", "people")):
            match = _TOLD.match(" ".join(word.low for word in reading.words[phrase.end :]))
            if match:
                yield f"{phrase.name} {match[0]}"


def _is_known(name: str, path: Sequence[Triplet]) -> bool:
    return any(related(name, entity.name.lower()) for triplet in path for entity in (triplet.subject, triplet.object))


def _is_of_anything(name: str, end: Entity) -> bool:
    """Return whether a thing that is spoken of may be the end, or is no thing that a hand holds."""
    sense = first_sense(name)
    if sense in kinds_of(concept_of(end)) or name.rpartition(" ")[2] in words("anything"):
        return True
    synset = synset_of(sense)
    return synset is None or synset.lexname not in _HELD_FILES or is_of_kind(sense, "clothing")


def _points(reading: Reading) -> bool:
    """Return whether a question has a pronoun for what is seen, and no noun: it may mean whatever the image shows.

    Where this is, or when it was, is asked of the image; so is what kind of area it is, and its weather.
    """
    of_place = reading.kind in ("where", "when") or reading.head.rpartition(" ")[2] in words("place words")
    of_image = {"this", "that"} if of_place else set()
    if _OF_SCENE.search(reading.tidied) or _OF_PICTURE.search(reading.tidied):
        return False
    return not _things(reading) and not set(reading.pronouns) <= words("picture words") | of_image
