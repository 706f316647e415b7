"""The noun phrases of a parsed question, and its outline: question word, the noun asked with it, and the rest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from kbe_graph.english.inflect import is_compound, singular
from kbe_graph.english.parse import Word
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words

POINTING = frozenset({"this", "that", "these", "those"})
ASKING = frozenset({"what", "which", "whose"})


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun phrase from word ``start`` up to ``end``.

    ``name`` is its compound noun in the singular (tennis racket), ``head`` the last word of that. ``determiner`` is its
    first word (this, the, his, what), empty if it has none.
    """

    start: int
    end: int
    name: str
    head: str
    determiner: str = ""
    adjectives: tuple[str, ...] = ()

    @property
    def pointing(self) -> bool:
        """Whether it points into the image: this animal."""
        return self.determiner in POINTING

    @property
    def seen(self) -> bool:
        """Whether it may name a visible object, as opposed to the image or a place in it."""
        return self.head not in words("no things")


def phrases(text: Sequence[Word]) -> tuple[NounPhrase, ...]:
    """Extract the noun phrases of a text in order; a determiner begins a new one."""
    runs: list[list[Word]] = [[]]
    for word, after in zip(text, (*text[1:], text[-1]), strict=True) if text else ():
        if _begins(word) or not _belongs(word, after, runs[-1]):
            runs.append([])
        if _begins(word) or _belongs(word, after, runs[-1]):
            runs[-1].append(word)
    return tuple(_phrase(run) for run in runs if any(word.noun for word in run))


def _begins(word: Word) -> bool:
    return word.tag == "DET" or word.fine == "PRP$" or word.low in POINTING | ASKING


def _belongs(word: Word, after: Word, run: Sequence[Word]) -> bool:
    past_noun = bool(run) and run[-1].noun
    if word.noun:
        return True
    if word.tag in ("ADJ", "NUM"):
        return not past_noun
    return bool(run) and not past_noun and word.fine in ("VBN", "VBG") and after.noun


def _phrase(run: Sequence[Word]) -> NounPhrase:
    nouns = [word for word in run if word.noun]
    before = [word for word in run if not word.noun and not _begins(word)]
    name, used = _name(before, [word.low for word in nouns])
    adjectives = (word.low for word in before[: len(before) - used] if word.low not in words("no attributes"))
    determiner = run[0].low if _begins(run[0]) else ""
    return NounPhrase(run[0].at, nouns[-1].at + 1, name, singular(nouns[-1].low), determiner, tuple(adjectives))


def _name(before: Sequence[Word], nouns: Sequence[str]) -> tuple[str, int]:
    name = " ".join((*nouns[:-1], singular(nouns[-1])))
    return (f"{before[-1].low} {name}", 1) if before and is_compound(before[-1].low, name) else (name, 0)


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
class Outline:
    """The structure of a question: its words, kind and noun phrases; ``start`` is the index after the question word.

    ``asking`` is the phrase with the question word (what, which), ``head`` the noun asked about.
    """

    words: tuple[Word, ...]
    start: int
    kind: Kind
    phrases: tuple[NounPhrase, ...]
    asking: NounPhrase | None
    head: NounPhrase | None

    @property
    def rest(self) -> tuple[Word, ...]:
        """The words after the question word and its noun."""
        ends = [phrase.end for phrase in (self.asking, self.head) if phrase]
        return self.words[max((self.start, *ends)) :]

    @property
    def verbs(self) -> list[Word]:
        """The main verbs of the rest."""
        return [word for word in self.rest if word.tag == "VERB"]


def outline_of(text: tuple[Word, ...]) -> Outline:
    """Build the outline of a question from its words.

    Commands (name the bird) count as "what", and anything else without a question word as "whether".
    """
    nouns = phrases(text)
    at = next((word.at for word in text if word.low in _KINDS), None)
    command = (bool(text) and text[0].low in words("commands")) or (at is None and _starts_with(text, "can", "you"))
    if at is None:
        asking = next((phrase for phrase in nouns if phrase.name not in words("commands")), None) if command else None
        kind: Kind = "what" if command else "whether"
        return Outline(text, asking.end if asking else 0, kind, nouns, asking, _headed(text, nouns, asking))
    kind = _KINDS[text[at].low]
    asking = next((phrase for phrase in nouns if phrase.start == at and phrase.determiner in ASKING), None)
    return Outline(text, at + 1, kind, nouns, asking, _headed(text, nouns, asking))


def _starts_with(text: Sequence[Word], *low: str) -> bool:
    return tuple(word.low for word in text[: len(low)]) == low


def _headed(text: Sequence[Word], nouns: Sequence[NounPhrase], asking: NounPhrase | None) -> NounPhrase | None:
    head = asking
    if head and head.name.split()[0] in words("aspects") and " " in head.name and not wordnet().knows(head.name):
        return replace(head, name=head.name.split(" ", 1)[1])
    while head and head.head in words("aspects") and low_at(text, head.end) in ("of", "for"):
        after = next((phrase for phrase in nouns if phrase.start == head.end + 1), None)
        if after is None:
            break
        head = after
    return head


def low_at(text: Sequence[Word], at: int) -> str:
    """Get the word at an index in lower case; empty past the end."""
    return text[at].low if at < len(text) else ""


def named_nouns(outline: Outline) -> list[NounPhrase]:
    """List the phrases of N, and of names before it, in "what is the (name of the) N of X"; empty for other forms."""
    rest = outline.rest
    if outline.kind != "what" or outline.asking or not rest or rest[0].lemma != "be":
        return []
    named: list[NounPhrase] = []
    for phrase in outline.phrases:
        follows = not named or phrase.start == named[-1].end + 1
        after = low_at(outline.words, phrase.end)
        clause_follows = phrase.determiner == "the" and any(other.start == phrase.end for other in outline.phrases)
        if phrase.start > rest[0].at and follows and (after in ("of", "for") or clause_follows):
            named.append(phrase)
    return [] if named and (named[0].pointing or named[0].start != rest[0].at + 1) else named


def owned_pairs(outline: Outline) -> list[tuple[NounPhrase, NounPhrase]]:
    """List each X and Y of "X's Y", with or without the apostrophe."""
    pairs = []
    for first, second in pairwise(outline.phrases):
        between = outline.words[first.end : second.start]
        marked = bool(between) or first.pointing
        if marked and not second.determiner and all(word.low in ("'s", "'") for word in between):
            pairs.append((first, second))
    return pairs


def pronouns(outline: Outline) -> tuple[str, ...]:
    """List the words that point into the image without a noun after them."""
    return tuple(word.low for word in outline.words if _is_pronoun(outline, word))


def _is_pronoun(outline: Outline, word: Word) -> bool:
    if word.low in POINTING:
        return not any(phrase.start == word.at for phrase in outline.phrases)
    return word.low in words("deictic")


def is_identity(outline: Outline) -> bool:
    """Return True if a question says only that something is there: what animal is this, what kind of dog is shown."""
    rest = [word for word in outline.rest if word.tag != "PUNCT"]
    says_more = any(word.tag == "VERB" and word.lemma not in words("showing") for word in rest)
    hangs = bool(rest) and rest[-1].tag == "ADP"
    is_be = any(word.lemma == "be" for word in rest) or any(word.low in words("commands") for word in outline.words[:1])
    another = any(word.low in ("other", "else", "another") for word in outline.words)
    return outline.kind == "what" and is_be and not (says_more or hangs or another or named_nouns(outline))


def anchors(outline: Outline) -> list[NounPhrase]:
    """List the noun phrases that may name the entity asked about, best first."""
    asked = [phrase for phrase in (outline.head,) if phrase and phrase.seen and phrase.head not in words("aspects")]
    used = [outline.asking, outline.head, *named_nouns(outline)]
    others = [phrase for phrase in outline.phrases if phrase.seen and phrase not in used]
    others = [own for phrase in others for own in (phrase, *_owners(phrase))]
    pointing = [phrase for phrase in others if phrase.pointing]
    plain = [phrase for phrase in others if not phrase.pointing]
    if outline.head and outline.head.pointing:
        return [*asked, *pointing, *plain]
    return [*pointing, *asked, *plain] if is_identity(outline) else [*pointing, *plain, *asked]


def _owners(phrase: NounPhrase) -> Iterator[NounPhrase]:
    for word in phrase.name.split()[:-1] if not wordnet().knows(phrase.name) else ():
        yield replace(phrase, name=singular(word), head=singular(word))
