"""Takes a tagged question apart: question word, noun, auxiliary, subject and rest.

"What animal is the man riding?" has the noun "animal", the auxiliary "is", the subject "the man" and the rest "riding"
(Quirk et al. 1985, 11.14-15, wh-questions).
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.question.subject import subject_end
from kbe_graph.question.tokens import (
    ADVERB,
    AUXILIARY,
    BE,
    DO,
    FINITE,
    HAVE,
    MODAL,
    NOUN,
    OPENS,
    STRANDED,
    Token,
    Tokens,
    joined,
)

QUESTION_WORDS = {"what", "which", "who", "whom", "where", "when"}
_AFTER_PREPOSITION = {"what", "which", "whom"}
# Those that open no relative clause, so that a second one makes two questions.
_ALWAYS_ASKING = {"what", "whom"}
_LIKE_NOUNS = {"NN", "NNS", "NNP", "JJ"}


@dataclass(frozen=True, slots=True)
class Clause:
    """A question taken apart; ``subject`` is empty where the question word is the subject.

    ``word`` is the question word, ``noun`` what follows it ("kind of bird", or nothing), ``link`` a preposition before
    it; ``stated`` says that subject and rest stand in the order of a statement already, all in ``rest``.
    """

    word: str
    noun: str
    auxiliary: str
    subject: Tokens
    rest: Tokens
    link: str = ""
    stated: bool = False


def clause_of(tokens: Tokens) -> Clause | None:
    """Return the parts of a question whose question word comes first, None where it cannot be read so."""
    opening = _opening(tokens)
    if opening is None:
        return None
    link, word, start = opening
    end = _noun_end(tokens, start)
    if end is None or (end == start + 1 and tokens[start].low.endswith("ically")):
        return None
    end = _before_adverbs(tokens, start, end)
    plain = Clause(word, joined(tokens[start:end]), "", (), tokens[end:], link)
    if _determined(tokens[end], tokens[end - 1]):
        return replace(plain, stated=True)
    return plain if _is_main_verb(plain.rest) else _inverted(plain)


class _Opening(NamedTuple):
    """What a question opens with: a preposition before its question word, that word, and where it ends."""

    link: str
    word: str
    end: int


def _opening(tokens: Tokens) -> _Opening | None:
    """Return how the question opens, None where no question word is in front, or another one follows."""
    pied = len(tokens) > 1 and tokens[0].tag in STRANDED and tokens[1].low in _AFTER_PREPOSITION
    start = 1 if pied else 0
    if len(tokens) < start + 2 or tokens[start].low not in QUESTION_WORDS:
        return None
    if any(token.low in _ALWAYS_ASKING for token in tokens[start + 1 :]):
        return None
    return _Opening(tokens[0].low if pied else "", tokens[start].low, start + 1)


def _before_adverbs(tokens: Tokens, start: int, end: int) -> int:
    """Return where the noun ends without adverbs behind it (what animal usually has); its start if all are adverbs."""
    if end > start + 1 and tokens[end - 1].tag in ADVERB and tokens[end].low not in AUXILIARY - HAVE:
        end -= 1
    adverbs = all(token.tag in ADVERB or token.low == "best" for token in tokens[start:end])
    return start if adverbs and tokens[end].low not in AUXILIARY else end


def _inverted(plain: Clause) -> Clause | None:
    """Return the clause with auxiliary and subject taken from its rest, None where the subject's end cannot be told."""
    after = _mended(plain.rest)
    if after[0].low in BE | HAVE:
        after = tuple(map(_participle, after))
    size = subject_end(after)
    if size is None:
        return None
    return replace(plain, auxiliary=after[0].low, subject=after[1:size], rest=after[size:])


def _participle(token: Token) -> Token:
    """Return what was taken for a past tense as the participle that it is after "be" and "have"."""
    return token._replace(tag="VBN") if token.tag == "VBD" and token.low not in AUXILIARY else token


def _is_main_verb(after: Tokens) -> bool:
    """Return whether the first word is the main verb: no auxiliary, or the only verb (what animal has stripes)."""
    if after[0].low not in AUXILIARY:
        return True
    opened = next((at for at, token in enumerate(after) if token.low in OPENS), len(after))
    tags = {token.tag for token in after[1:opened]}
    if after[0].low in HAVE:
        return not tags & {"VBN", "VBD"} or (len(after) > 2 and after[1].tag in {"JJ", "CD"})
    return after[0].low in DO and not tags & ({"VB", "VBP", "PRP"} | NOUN)


def _noun_end(tokens: Tokens, start: int) -> int | None:
    for place in range(start, len(tokens)):
        token = tokens[place]
        if token.low in AUXILIARY or (place > start and _determined(token, tokens[place - 1])):
            return place
        if token.tag in FINITE - ({"VBP"} if place == start else set()) and place + 1 < len(tokens):
            helped = token.tag != "VBZ" and any(other.low in AUXILIARY for other in tokens[place + 1 : place + 3])
            if not helped:
                return place
        if token.low in {"that", "who", "which", "whose", ","}:
            return None
    return next((at for at in range(start + 1, len(tokens) - 1) if _verb_like(tokens, at)), None)


def _determined(token: Token, before: Token) -> bool:
    """Return whether a subject begins right behind a noun: the question is in the order of a statement."""
    return before.tag in NOUN and (token.tag in {"PRP", "DT"} or token.low in {"this", "these", "those"})


def _verb_like(tokens: Tokens, place: int) -> bool:
    """Return whether a word tagged as a noun is rather the verb (what part reacts with the air)."""
    token, after = tokens[place], tokens[place + 1]
    verb = wordnet().morphy(token.low, "v")
    base = (token.tag in {"VB", "NN"} and verb == token.low and tokens[place - 1].tag == "NNS") or token.tag == "VB"
    return (
        tokens[place - 1].tag in NOUN
        and after.tag in {"IN", "DT", "TO", "PRP$", "PDT"}
        and (base or (token.tag == "NNS" and verb is not None and verb != token.low))
    )


def _mended(after: Tokens) -> Tokens:
    """Return the tokens, a last verb taken for a noun tagged as a verb (is the man playing; does it rotate)."""
    last = len(after) - 1 - (after[-1].tag in STRANDED)
    if last < 2 or after[last].tag not in _LIKE_NOUNS or after[last - 1].tag not in NOUN | {"JJ", "PRP", "IN"}:
        return after
    tag = _verb_tag(after[last].low, after[0].low, {token.tag for token in after[1:]})
    return (*after[:last], Token(after[last].text, tag), *after[last + 1 :]) if tag else after


def _verb_tag(word: str, helper: str, tags: set[str]) -> str:
    """Return the tag of the verb that an auxiliary lacks, empty where the word cannot be that verb."""
    if helper in BE:
        is_gerund = word.endswith("ing") and word not in words("ing nouns") and "VBG" not in tags
        return "VBG" if is_gerund and wordnet().morphy(word, "v") else ""
    lacks = helper in DO | MODAL and not tags & {"VB", "VBP"}
    return "VB" if lacks and wordnet().knows(word, "v") else ""
