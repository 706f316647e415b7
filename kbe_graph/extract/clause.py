"""The clause of a question: its question word, the noun asked with it, its other noun phrases, and what follows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from kbe_graph.extract.parse import Word
from kbe_graph.extract.phrase import ASKING, Phrase, phrases
from kbe_graph.lexicon.wordnet import wordnet
from kbe_graph.lexicon.words import words

Kind = Literal["what", "where", "when", "who", "why", "how", "whether"]
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("what", "which", "whose", "what's", "wat"), "what"),
    **dict.fromkeys(("who", "whom"), "who"),
    "where": "where",
    "when": "when",
    "why": "why",
    "how": "how",
}


@dataclass(frozen=True, slots=True)
class Clause:
    """A question's words; those after its question word (``rest``), its phrases, and the phrase asked with what or which."""

    text: tuple[Word, ...]
    start: int
    kind: Kind
    found: tuple[Phrase, ...]
    asking: Phrase | None
    head: Phrase | None

    @property
    def rest(self) -> tuple[Word, ...]:
        """The words after the question word and its noun."""
        ends = [phrase.end for phrase in (self.asking, self.head) if phrase]
        return self.text[max((self.start, *ends)) :]

    @property
    def verbs(self) -> list[Word]:
        """The main verbs of the rest."""
        return [word for word in self.rest if word.tag == "VERB"]


def read_clause(text: tuple[Word, ...]) -> Clause:
    """Return the clause of a question's words; commands (name the bird) ask what, anything else without a question word whether."""
    found = _pointed(text, phrases(text))
    at = next((word.at for word in text if word.low in _KINDS), None)
    command = (bool(text) and text[0].low in words("commands")) or (at is None and _starts_with(text, "can", "you"))
    if at is None:
        asking = next((phrase for phrase in found if phrase.name not in words("commands")), None) if command else None
        kind: Kind = "what" if command else "whether"
        return Clause(text, asking.end if asking else 0, kind, found, asking, _headed(text, found, asking))
    kind = _KINDS[text[at].low]
    asking = next((phrase for phrase in found if phrase.start == at and phrase.determiner in ASKING), None)
    return Clause(text, at + 1, kind, found, asking, _headed(text, found, asking))


def _pointed(text: Sequence[Word], found: Sequence[Phrase]) -> tuple[Phrase, ...]:
    """Return the phrases with "this" moved on from "this kind of cake" to the cake."""
    pointed = {phrase.end + 1 for phrase in found if phrase.pointing and phrase.head in words("aspects")}
    pointed = {start for start in pointed if low_at(text, start - 1) == "of"}
    return tuple(replace(phrase, determiner="this") if phrase.start in pointed else phrase for phrase in found)


def _starts_with(text: Sequence[Word], *low: str) -> bool:
    return tuple(word.low for word in text[: len(low)]) == low


def _headed(text: Sequence[Word], found: Sequence[Phrase], asking: Phrase | None) -> Phrase | None:
    """Return the noun that a kind, breed or name is asked of (what brand of racket, what brand racket), else asking."""
    head = asking
    if head and head.name.split()[0] in words("aspects") and " " in head.name and not wordnet().knows(head.name):
        return replace(head, name=head.name.split(" ", 1)[1])
    while head and head.head in words("aspects") and low_at(text, head.end) in ("of", "for"):
        after = next((phrase for phrase in found if phrase.start == head.end + 1), None)
        if after is None:
            break
        head = after
    return head


def low_at(text: Sequence[Word], at: int) -> str:
    """Return the word at a place in small letters, empty past the end."""
    return text[at].low if at < len(text) else ""


def named_nouns(clause: Clause) -> list[Phrase]:
    """Return the phrases of N, and of names before it, in "what is the (name of the) N of X"; none in other forms."""
    rest = clause.rest
    if clause.kind != "what" or clause.asking or not rest or rest[0].lemma != "be":
        return []
    named: list[Phrase] = []
    for phrase in clause.found:
        follows = not named or phrase.start == named[-1].end + 1
        after = low_at(clause.text, phrase.end)
        clause_follows = phrase.determiner == "the" and any(one.start == phrase.end for one in clause.found)
        if phrase.start > rest[0].at and follows and (after in ("of", "for") or clause_follows):
            named.append(phrase)
    return [] if named and (named[0].pointing or named[0].start != rest[0].at + 1) else named


def owned_pairs(clause: Clause) -> list[tuple[Phrase, Phrase]]:
    """Return each X and Y of "X's Y", with or without the apostrophe."""
    found = []
    for first, second in pairwise(clause.found):
        between = clause.text[first.end : second.start]
        marked = bool(between) or first.pointing
        if marked and not second.determiner and all(word.low in ("'s", "'") for word in between):
            found.append((first, second))
    return found
