"""Splitting of a tagged question into question word, noun, auxiliary, subject and rest.

"What animal is the man riding?" has the noun "animal", the auxiliary "is", the subject "the man" and the rest "riding"
(Quirk et al. 1985, 11.14-15, wh-questions).
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.question.tokens import (
    ADJECTIVE,
    ADVERB,
    AUXILIARY,
    BE,
    DO,
    FINITE,
    HAVE,
    MODAL,
    NOMINAL,
    NOUN,
    OPENS,
    STRANDED,
    Token,
    Tokens,
    joined,
)

# Words that take "to" and a verb: the man in the canoe is about to do.
_TOWARDS = {"about", "going", "trying", "supposed", "likely", "able", "ready"}
# Words tagged as pronouns end the noun phrase anyway.
_PRONOUNS = {"this", "these", "that", "those", "one", "someone", "people"}


def subject_end(after: Tokens) -> int | None:
    """Find the end of the subject after the auxiliary at 0: 1 if there is no subject, None if unknown."""
    if len(after) == 1:
        return None
    if _is_subject_gap(after):
        return 1
    end, helper = nominal_end(after, 1), after[0].low
    if 1 < end < len(after) and after[end].tag in {"DT", "PRP"} and after[end].low not in {"all", "both"}:
        return _held_end(after, end) if helper in BE else None
    if helper in BE and 1 < end < len(after) and after[end].tag in ADJECTIVE and after[-1].tag in STRANDED | {"VBG"}:
        return end
    return _before_verb(after, end)


def _is_subject_gap(after: Tokens) -> bool:
    tag, helper = after[1].tag, after[0].low
    if helper in BE:
        return tag in {"VBN", "VBG"} | STRANDED or _predicate_first(after)
    return (helper in MODAL and tag in {"VB", "RB"}) or (helper in HAVE and tag in {"VBN", "RB"})


def _before_verb(after: Tokens, end: int) -> int | None:
    verb = _verb(after, end, after[0].low)
    if verb is None:
        return _copula_end(after, end) if after[0].low in BE else None
    while verb > end and (
        after[verb - 1].tag in ADVERB or after[verb - 1].low in {"all", "being", "best", "both", "n't", "not"}
    ):
        verb -= 1
    return verb if verb > 1 else None


def _held_end(after: Tokens, end: int) -> int | None:
    own = next((at for at in range(end, len(after)) if after[at].tag.startswith("VB") or after[at].tag == "MD"), None)
    verb = next((at for at in range(own or 0, len(after)) if after[at].tag in {"VBG", "VBN", "VB"}), own)
    if own is None or verb is None or any(token.tag.startswith("VB") for token in after[verb + 1 :]):
        return None
    return len(after)


def _predicate_first(after: Tokens) -> bool:
    place = 2 if after[1].low == "the" else 1
    while place < len(after) and after[place].tag in ADVERB:
        place += 1
    if place == 1 and after[1].tag not in ADJECTIVE:
        return False
    if place > 1 and after[1].tag in ADVERB and after[1].low not in {"n't", "not"}:
        return True
    after_it = after[place:]
    tags = [token.tag for token in after_it[:2]]
    if not tags or tags[0] in {"VBN", "VBG"} | STRANDED:
        return place > 1 and after[1].low != "the"
    in_place = len(after_it) == 2 and after_it[1].low in {"here", "there"}
    return tags[0] in ADJECTIVE and (len(tags) == 1 or tags[1] in STRANDED | {"CC"} or in_place)


def nominal_end(tokens: Tokens, start: int) -> int:
    """Find the end of the noun phrase that begins at ``start``, without the words after its head."""
    place = start
    if start >= len(tokens):
        return start
    if tokens[start].low in _PRONOUNS and (
        len(tokens) == start + 1 or tokens[start + 1].tag not in NOMINAL or tokens[start + 1].low in _TOWARDS
    ):
        return start + 1
    if tokens[start].tag == "PRP":
        return start + 1
    while place < len(tokens) and (tokens[place].tag in NOMINAL or _inside(tokens, place)):
        if place > start and tokens[place - 1].tag in NOUN and _leaves(tokens, place):
            break
        place += 1
    return place


def _leaves(tokens: Tokens, place: int) -> bool:
    """Return True if the words after a noun do not belong to its phrase.

    They are a predicate (famous for) or a clause (the man is holding).
    """
    linked = place + 1 < len(tokens) and tokens[place + 1].tag in STRANDED
    return tokens[place].tag in {"DT", "PRP"} or (tokens[place].tag in ADJECTIVE and linked)


def _inside(tokens: Tokens, place: int) -> bool:
    after = tokens[place + 1].tag if place + 1 < len(tokens) else ""
    before = tokens[place - 1].tag
    if tokens[place].tag in {"VBG", "VBN"}:
        return after in NOUN | {"JJ"} and before in {"DT", "JJ", "PRP$"}
    if tokens[place].tag in ADVERB:
        return after in {"JJ", "VBN"} and before == "DT"
    return tokens[place].low in {"and", "&"} and before in NOUN and after in NOMINAL


def _verb(after: Tokens, end: int, helper: str) -> int | None:
    if helper in BE and after[-1].tag in STRANDED and after[-2].tag in {"VBN", "VBG"}:
        return len(after) - 2
    wanted = {"VBN"} if helper in HAVE else {"VBG", "VBN", "VBD"} if helper in BE else {"VB", "VBP"}
    for place in range(end, len(after)):
        token = after[place]
        if token.low in OPENS and not _with_noun(after, place):
            return None
        if token.tag in wanted and token.low not in {"being", "been"} and not _inside(after, place):
            return None if _is_named_on(after, place) else place
    return None


def _is_named_on(after: Tokens, place: int) -> bool:
    return after[place].low in {"named", "mentioned"} and place + 1 < len(after) and after[place + 1].tag == "IN"


def _with_noun(after: Tokens, place: int) -> bool:
    return after[place].tag == "DT" and place + 1 < len(after) and after[place + 1].tag in NOUN


def _copula_end(after: Tokens, end: int) -> int:
    """Find the end of the subject of "be" as the main verb.

    It ends before a final adjective, preposition or verb and its complement.
    """
    size = len(after)
    if place := _last_adjective(after, end):
        return place
    if after[-1].tag in {"VB", "VBG"}:
        return next((at for at in range(end, size) if after[at].low in _TOWARDS), end)
    if after[-1].tag in STRANDED and size - 1 >= end:
        phrase = any(token.tag in {"DT", "PRP$"} for token in after[end:])
        return size - 1 if phrase or end == size - 1 else end
    return size


def _last_adjective(after: Tokens, end: int) -> int:
    place = len(after) - 1
    if place < end or after[place].tag not in ADJECTIVE:
        return 0
    while place > end and (after[place - 1].tag in ADVERB or after[place - 1].low == "the"):
        place -= 1
    return place if place == end or after[place - 1].tag in NOUN else 0


QUESTION_WORDS = {"what", "which", "who", "whom", "where", "when"}
_AFTER_PREPOSITION = {"what", "which", "whom"}
# Words that open no relative clause, so that a second one means two questions.
_ALWAYS_ASKING = {"what", "whom"}
_LIKE_NOUNS = {"NN", "NNS", "NNP", "JJ"}


@dataclass(frozen=True, slots=True)
class Clause:
    """The parts of a question; ``subject`` is empty if the question word is the subject.

    ``word`` is the question word, ``noun`` the noun after it ("kind of bird", or empty), and ``link`` a preposition
    before it. ``stated`` means that subject and rest are already in statement order, both in ``rest``.
    """

    word: str
    noun: str
    auxiliary: str
    subject: Tokens
    rest: Tokens
    link: str = ""
    stated: bool = False


def clause_of(tokens: Tokens) -> Clause | None:
    """Split a question whose question word comes first; None if it cannot be split."""
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
    """The opening of a question: a preposition before the question word, that word, and the index after it."""

    link: str
    word: str
    end: int


def _opening(tokens: Tokens) -> _Opening | None:
    pied = len(tokens) > 1 and tokens[0].tag in STRANDED and tokens[1].low in _AFTER_PREPOSITION
    start = 1 if pied else 0
    if len(tokens) < start + 2 or tokens[start].low not in QUESTION_WORDS:
        return None
    if any(token.low in _ALWAYS_ASKING for token in tokens[start + 1 :]):
        return None
    return _Opening(tokens[0].low if pied else "", tokens[start].low, start + 1)


def _before_adverbs(tokens: Tokens, start: int, end: int) -> int:
    if end > start + 1 and tokens[end - 1].tag in ADVERB and tokens[end].low not in AUXILIARY - HAVE:
        end -= 1
    adverbs = all(token.tag in ADVERB or token.low == "best" for token in tokens[start:end])
    return start if adverbs and tokens[end].low not in AUXILIARY else end


def _inverted(plain: Clause) -> Clause | None:
    after = _mended(plain.rest)
    if after[0].low in BE | HAVE:
        after = tuple(map(_participle, after))
    size = subject_end(after)
    if size is None:
        return None
    return replace(plain, auxiliary=after[0].low, subject=after[1:size], rest=after[size:])


def _participle(token: Token) -> Token:
    return token._replace(tag="VBN") if token.tag == "VBD" and token.low not in AUXILIARY else token


def _is_main_verb(after: Tokens) -> bool:
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
    return before.tag in NOUN and (token.tag in {"PRP", "DT"} or token.low in {"this", "these", "those"})


def _verb_like(tokens: Tokens, place: int) -> bool:
    token, after = tokens[place], tokens[place + 1]
    verb = wordnet().morphy(token.low, "v")
    base = (token.tag in {"VB", "NN"} and verb == token.low and tokens[place - 1].tag == "NNS") or token.tag == "VB"
    return (
        tokens[place - 1].tag in NOUN
        and after.tag in {"IN", "DT", "TO", "PRP$", "PDT"}
        and (base or (token.tag == "NNS" and verb is not None and verb != token.low))
    )


def _mended(after: Tokens) -> Tokens:
    last = len(after) - 1 - (after[-1].tag in STRANDED)
    if last < 2 or after[last].tag not in _LIKE_NOUNS or after[last - 1].tag not in NOUN | {"JJ", "PRP", "IN"}:
        return after
    tag = _verb_tag(after[last].low, after[0].low, {token.tag for token in after[1:]})
    return (*after[:last], Token(after[last].text, tag), *after[last + 1 :]) if tag else after


def _verb_tag(word: str, helper: str, tags: set[str]) -> str:
    if helper in BE:
        is_gerund = word.endswith("ing") and word not in words("ing nouns") and "VBG" not in tags
        return "VBG" if is_gerund and wordnet().morphy(word, "v") else ""
    lacks = helper in DO | MODAL and not tags & {"VB", "VBP"}
    return "VB" if lacks and wordnet().knows(word, "v") else ""
