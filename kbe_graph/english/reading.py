"""The reading of a question, shared by all code that needs to know something about its text.

It has two parts, each computed on first use: pattern matches on the words, and a parse of the tidied text, which can be
part of another question.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from kbe_graph.brief import brief, readable
from kbe_graph.english.inflect import vocabulary
from kbe_graph.english.parse import ENGLISH, KEPT, Parser, Word
from kbe_graph.english.patterns import Texts, decide, flagged, misspelled, table
from kbe_graph.english.phrase import (
    Kind,
    NounPhrase,
    Outline,
    anchors,
    is_identity,
    outline_of,
    owned_pairs,
    pronouns,
)
from kbe_graph.english.property import property_of


@readable
@lru_cache(maxsize=KEPT)
def read(text: str, parser: Parser = ENGLISH) -> "Reading":
    """Parse a question. ``parser`` tags the words, with spaCy's model or without.

    >>> read("What breed of dog is this?").asks_for
    'dog'
    """
    return Reading(text, parser)


def parse_questions(texts: Iterable[str], parser: Parser = ENGLISH) -> None:
    """Parse several questions in one batch, which takes a third of the time, before they are read."""
    parser.parse_all(f"{read(text, parser).tidied}?" for text in texts)


@brief("text")
@dataclass(frozen=True)
class Reading(Texts):
    """A parsed question. Each property is computed once, at first use.

    >>> kbe.read("What color is the man's hat?").text
    "What color is the man's hat?"
    """

    parser: Parser

    # From the words only

    @cached_property
    def misspelled(self) -> str:
        """The first word that is misspelled or lacks its apostrophe; empty if there is none."""
        return flagged("no apostrophe", self) or misspelled(self.tidied)

    @cached_property
    def _flags(self) -> dict[str, bool]:
        return {}

    def asks(self, flag: str) -> bool:
        """Return True if the question asks for or mentions something, by its name in the flags table."""
        if flag not in self._flags:
            self._flags[flag] = bool(flagged(flag, self))
        return self._flags[flag]

    @cached_property
    def asks_kind(self) -> bool:
        """Whether it asks for a kind of that noun."""
        return any(row.meaning == "kind" and row.find(self) for row in table("nouns"))

    @cached_property
    def firm(self) -> bool:
        """Whether the answer must be of the kind asked for: "what animal", but not "what is the animal on"."""
        return any(row.meaning != "loose" and row.find(self) for row in table("nouns"))

    @cached_property
    def field(self) -> str:
        """The broad field of the noun asked for, if any: area, spot, sport or thing; otherwise empty."""
        return decide("sought", self)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words as written, and the lemmas of the content words."""
        return vocabulary(self.text)

    @cached_property
    def files(self) -> frozenset[str]:
        """The WordNet lexicographer files that the key words allow for the answer; empty if they do not restrict it."""
        return frozenset(f"noun.{file}" for file in decide("files", self).split())

    @cached_property
    def refused_type(self) -> str:
        """The type asked for if it leads nowhere (brand, company, team, personal name, number, time), or else empty."""
        return decide("types", self)

    @cached_property
    def protected(self) -> str:
        """The words that ask for a protected attribute of people; empty if there are none."""
        return flagged("protected", self)

    @cached_property
    def form(self) -> str:
        """Why the question's form allows no noun phrase for its answer; empty if it may allow one."""
        return decide("forms", self)

    # From the parse of the tidied text

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words with their parts of speech."""
        return self.parser.words(f"{self.tidied}?")

    @cached_property
    def outline(self) -> Outline:
        """The question word, the noun phrases and the rest."""
        return outline_of(self.words)

    @cached_property
    def kind(self) -> Kind:
        """The kind of question: what, where, when, who, why, how or whether."""
        return self.outline.kind

    @cached_property
    def head(self) -> str:
        """The noun after "what", "which" or "kind of"; empty if there is none."""
        return self.outline.head.name if self.outline.head else ""

    @cached_property
    def property(self) -> str:
        """The relation between the entity asked about and the answer: breed, used for, color, kind."""
        return property_of(self.outline)

    @cached_property
    def of_head(self) -> bool:
        """Whether the property belongs to the head: what breed of dog."""
        return self.outline.head is not self.outline.asking

    @cached_property
    def identity(self) -> bool:
        """Whether it asks for the identity of an entity."""
        return is_identity(self.outline)

    @cached_property
    def anchors(self) -> tuple[NounPhrase, ...]:
        """The noun phrases that may name the entity asked about, best first."""
        return tuple(anchors(self.outline))

    @cached_property
    def pronouns(self) -> tuple[str, ...]:
        """The words that point into the image without a noun: this, it, here, the photo."""
        return pronouns(self.outline)

    @cached_property
    def deictic(self) -> bool:
        """Whether it points into the image."""
        return bool(self.pronouns) or any(phrase.pointing for phrase in self.outline.phrases)

    @cached_property
    def owned(self) -> tuple[tuple[str, str], ...]:
        """Pairs of owner and possession: this animal's neck."""
        return tuple((owner.name, thing.name) for owner, thing in owned_pairs(self.outline))
