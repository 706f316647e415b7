"""Naming of a picture's item in a question: by a plain, visible kind, never by its own name."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import unquote

from kbe_graph.english.inflect import head, lemmas, singular
from kbe_graph.english.property import is_kind
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import frequency
from kbe_graph.errors import NoCandidate
from kbe_graph.files.resources import rows
from kbe_graph.steps.reply_text import mentions
from kbe_graph.text import fold
from kbe_graph.types import PagePicture, WikiItem

NO_KIND = "no kind that can be seen"
NOT_SHOWN = "the picture may not show the item"
SEVERAL_PEOPLE = "the picture may show several people"
PERSON = "person"
SENSES = 4
STEM = 5  # first letters that words of one stem share
GENERAL = frozenset(["building", "living thing", "organization", "place", "region", "structure", "town"])
"""Nouns used only if no other noun fits the item."""
_SEEN = frozenset(
    f"noun.{file}"
    for file in (
        *("act", "animal", "artifact", "body", "communication", "event", "food", "group", "location", "object"),
        *("person", "plant", "possession", "substance", "Tops"),
    )
)
WHOLE = "*"
_ASKED = re.compile(r"\b(?:which|what)(?: (?:is|was) the)? (\w+ \w+)", re.IGNORECASE)
_LINK = re.compile(r" (?:of|in|with|for|by|from|on) ")
_OF_A_KIND = re.compile(r"(?<=\w) (?:model|class|type|family|variety|cultivar|breed)$")
_LIVING = re.compile(r"\b(?:species|subspecies|genus|breed|variety|cultivar) of (?:extinct )?([a-z][a-z -]*)")
_TOGETHER = re.compile(
    r"\b(?:left|right|cent(?:er|re)|l\.? ?to ?r|group|team|crew|meeting|among|family|couple)\b"
    r"|\b(?:with|and|meets|greets|beside|next to) (?:[a-z]+ )?[A-Z]"
)
_OF_PICTURE = re.compile(
    r"^(?:(?:an?|the|official|early|later|\d{4}|c\.) )*(?:(?:portrait|photograph|photo|picture|painting|view|image"
    r"|engraving|depiction|drawing|bust|statue) (?:of|by) )?(?:the )?",
    re.IGNORECASE,
)


class Called(NamedTuple):
    """A kind that an item may be called by: a noun, and the ids of its possible WordNet senses."""

    noun: str
    senses: tuple[str, ...] = ()

    def is_of(self, nouns: Sequence[str]) -> bool:
        """Return True if the kind is, or is a kind of, one of the ``nouns``; any kind matches if there are none."""
        names = {fold(self.noun), fold(head(self.noun))}
        return not nouns or any(
            fold(noun) in names or any(is_kind(sense, noun) for sense in self.senses) for noun in nouns
        )


def called(item: WikiItem) -> tuple[Called, ...]:
    """List the visible kinds that an item may be called by, plainest first.

    Kinds whose noun is in the table come first, then those that most of the item's kinds lead to, then common words. A
    kind that contains a word of the item's name is excluded. Raises NoCandidate if no kind can be seen.
    """
    if item.human:
        return (_called(PERSON),)
    counts = Counter(_nouns(item))
    listed = {table().get(fold(label), "") for label in item.kind_labels}
    ranked = sorted(
        counts, key=lambda noun: (noun in GENERAL, noun not in listed, -counts[noun], -frequency(noun), noun)
    )
    kinds = (_called(noun) for noun in ranked if not any(mentions(noun, name) for name in names_of(item)))
    if seen := tuple(kind for kind in kinds if kind.senses):
        return seen
    raise NoCandidate(NO_KIND, ", ".join(item.kind_labels))


def names_of(item: WikiItem) -> tuple[str, ...]:
    """Return the non-empty label and aliases of an item."""
    return tuple(name for name in (item.label, *item.aliases) if name)


def kind_nouns(item: WikiItem) -> frozenset[str]:
    """Return the nouns of all kinds of an item, for comparing items."""
    return frozenset({PERSON} if item.human else _nouns(item))


@cache
def table() -> Mapping[str, str]:
    """Load the plain noun of each folded kind label or head noun.

    An empty noun stands for something that cannot be seen; ``*`` marks a head too vague without the word before it.
    """
    file = files("kbe_graph.wiki").joinpath("called.tsv")
    return {fold(label): noun for _, (label, noun) in rows(file, ("label", "called"))}


def _nouns(item: WikiItem) -> Iterator[str]:
    living = _LIVING.search(item.description)
    for label in item.kind_labels:
        noun = _plain(label)
        if noun == "living thing" and living:
            noun = singular(living[1].split(" native ")[0].split(" endemic ")[0].strip().split(" in ")[0])
        if noun:
            yield noun


def _plain(label: str) -> str:
    """Return the plain noun of a kind's label: that of the table, otherwise its head.

    If the table marks the head as vague, the word before it is kept: power station, golf course.
    """
    front = _OF_A_KIND.sub("", _LINK.split(label)[0].strip())
    for name in (label, front):
        if (listed := table().get(fold(name), WHOLE)) != WHOLE:
            return listed
    listed = table().get(fold(head(front)), "")
    if listed == WHOLE:
        noun = " ".join(front.split()[-2:])
    elif fold(head(front)) in table():
        noun = listed
    else:
        noun = _plainest(front)
    return noun if noun == noun.lower() else ""


def _plainest(front: str) -> str:
    entry = wordnet().lookup(front)
    noun = front if entry.synsets and not entry.head else head(front)
    return head(noun) if frequency(head(noun)) > frequency(noun) and _senses(head(noun)) else noun


def _called(noun: str) -> Called:
    if noun == "living thing":
        return Called(noun, tuple(synset.id for synset in wordnet().synsets("organism")[:1]))
    return Called(noun, tuple(synset.id for synset in _senses(noun)))


def _senses(noun: str) -> list[Synset]:
    senses = [sense for sense in wordnet().lookup(noun).synsets[:SENSES] if not sense.instance]
    seen = [sense for sense in senses if sense.lexname in _SEEN]
    is_somebody = bool(seen) and seen[0].lexname == "noun.person"
    return [sense for sense in seen if is_somebody or sense.lexname != "noun.person"]


@cache
def _portrayals() -> tuple[tuple[str, ...], ...]:
    file = files("kbe_graph.wiki").joinpath("shown.tsv")
    return tuple(tuple(row) for _, row in rows(file, ("words", "kind", "phrase")))


def reference(picture: PagePicture, item: WikiItem, kind: Called) -> str:
    """Return the noun phrase for a picture's item, such as "the bridge in this image".

    A picture of its flag, map or statue is described as such. Raises NoCandidate if the picture may show something else
    (it is not its page's main picture, and its caption does not begin with the item's name) or shows several people.
    """
    if not _shows(picture, item):
        raise NoCandidate(NOT_SHOWN, picture.caption)
    if kind.noun == PERSON and _TOGETHER.search(picture.caption):
        raise NoCandidate(SEVERAL_PEOPLE, picture.caption)
    shown = _words_of(picture, item)
    for words, noun, phrase in _portrayals():
        applies = noun in {"any", kind.noun} and not mentions(kind.noun, words)
        if applies and re.search(rf"\b{re.escape(words)}s?\b", shown):
            if not phrase:
                raise NoCandidate(NOT_SHOWN, picture.image)
            return phrase.format(kind.noun)
    return f"the {kind.noun} in this image"


def _shows(picture: PagePicture, item: WikiItem) -> bool:
    if picture.is_main or picture.id.startswith(f"{item.id}|"):
        return True
    caption = _OF_PICTURE.sub("", picture.caption.strip(), count=1)
    names = (name for name in names_of(item) if len(name) > 2)
    return any(re.match(rf"{re.escape(name)}(?!['’]s\b|[\w-]| [A-Z])", caption) for name in names)


def _words_of(picture: PagePicture, item: WikiItem) -> str:
    file = re.sub(r"[_.,()]+", " ", unquote(picture.image).rpartition("/")[2])
    words = f"{file} | {' '.join(picture.caption.split()[:5])}"
    for name in names_of(item):
        words = words.replace(name, " ")
    return words.lower()


def tells(text: str, answer: str) -> bool:
    """Return True if a text gives an answer away by a shared word, or by a word with the same beginning.

    Words that ask are ignored if the answer has others.

    >>> tells("In which country is the Portuguese bridge in this image?", "Portugal")
    True
    >>> tells("In which cemetery is the person in this image buried?", "Highgate Cemetery")
    False
    """
    asked = {word for words in _ASKED.findall(text) for word in lemmas(words)}
    words, hidden = lemmas(text), lemmas(answer)
    hidden = tuple(word for word in hidden if word not in asked) or hidden
    return any(word == other or _begin_alike(word, other) for word in words for other in hidden)


def _begin_alike(word: str, other: str) -> bool:
    return min(len(word), len(other)) >= STEM and word[:STEM] == other[:STEM]
