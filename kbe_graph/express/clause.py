"""Takes a tagged question apart: question word, noun, auxiliary, subject and rest.

"What animal is the man riding?" has the noun "animal", the auxiliary "is", the subject "the man" and the rest "riding" (Quirk
et al. 1985, 11.14-15, wh-questions). Tags are those of the Penn Treebank.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kbe_graph.lexicon.wordnet import wordnet

BE = {"is", "are", "was", "were", "am", "be"}
DO = {"do", "does", "did"}
HAVE = {"has", "have", "had"}
MODAL = {"can", "could", "would", "will", "should", "might", "may", "must", "shall"}
AUXILIARY = BE | DO | HAVE | MODAL
QUESTION_WORDS = {"what", "which", "who", "whom", "where", "when"}
STRANDED = {"IN", "RP", "TO"}
_NOMINAL = {"DT", "JJ", "JJR", "JJS", "NN", "NNS", "NNP", "NNPS", "CD", "PRP", "PRP$", "POS", "HYPH", "PDT", "EX"}
_NOUN = {"NN", "NNS", "NNP", "NNPS"}
_ADJECTIVE = {"JJ", "JJR", "JJS"}
_FINITE = {"VBZ", "VBP", "VBD"}
_ADVERB = {"RB", "RBR", "RBS"}
_OPENS = {"that", "which", "who", "where", "to", "when", "if", "because", "whose"}
_PRONOUNS = {"this", "these", "that", "those", "it", "they", "he", "she", "you", "we", "i", "one", "someone", "people"}
# Nouns in -ing, which are no participles.
_THINGS = {
    *(
        "building",
        "painting",
        "clothing",
        "railing",
        "ceiling",
        "awning",
        "icing",
        "topping",
        "filling",
        "dressing",
        "frosting",
    ),
    *(
        "lighting",
        "flooring",
        "bedding",
        "wedding",
        "writing",
        "drawing",
        "carving",
        "marking",
        "lettering",
        "sibling",
        "ring",
    ),
    *(
        "string",
        "king",
        "wing",
        "thing",
        "something",
        "anything",
        "pudding",
        "evening",
        "morning",
        "covering",
        "stuffing",
    ),
    *(
        "seating",
        "siding",
        "coating",
        "spring",
        "earring",
        "stocking",
        "fencing",
        "opening",
        "outing",
        "setting",
        "being",
    ),
}


class Token(NamedTuple):
    """A word with its tag."""

    text: str
    tag: str

    @property
    def low(self) -> str:
        """The word in small letters."""
        return self.text.lower()


Tokens = Sequence[Token]


@dataclass(frozen=True, slots=True)
class Clause:
    """A question taken apart; ``subject`` is empty where the question word is the subject.

    ``word`` is the question word, ``noun`` what follows it ("kind of bird", or nothing), ``link`` a preposition before it;
    ``stated`` says that subject and rest stand in the order of a statement already, all in ``rest``.
    """

    word: str
    noun: str
    auxiliary: str
    subject: Tokens
    rest: Tokens
    link: str = ""
    stated: bool = False


def joined(tokens: Tokens) -> str:
    """Return the words of tokens as text, with possessives and commas close."""
    text = " ".join(token.text for token in tokens)
    for mark in (" 's", " ,", " n't", " '"):
        text = text.replace(mark, mark[1:])
    return text.replace(" - ", "-").replace("$ ", "$").strip()


def read(tokens: Tokens) -> Clause | None:
    """Return the parts of a question whose question word comes first, None where it cannot be read so."""
    pied = len(tokens) > 1 and tokens[0].tag in STRANDED and tokens[1].low in {"what", "which", "whom"}
    start = 1 if pied else 0
    if len(tokens) < start + 2 or tokens[start].low not in QUESTION_WORDS:
        return None
    link, word = tokens[0].low if pied else "", tokens[start].low
    if any(token.low in QUESTION_WORDS - {"who", "which", "where", "when"} for token in tokens[start + 1 :]):
        return None
    end = _noun_end(tokens, start + 1)
    if end is None:
        return None
    noun, after = joined(tokens[start + 1 : end]), tokens[end:]
    if _determined(tokens[end], tokens[end - 1]):
        return Clause(word, noun, "", (), after, link, stated=True)
    if after[0].low not in AUXILIARY or _main_verb(after):
        return Clause(word, noun, "", (), after, link)
    after = _mended(after)
    if after[0].low in BE:
        after = tuple(
            token._replace(tag="VBN") if token.tag == "VBD" and token.low not in AUXILIARY else token for token in after
        )
    size = _subject_end(after)
    return None if size is None else Clause(word, noun, after[0].low, after[1:size], after[size:], link)


def _main_verb(after: Tokens) -> bool:
    """Return whether "has" or "does" is the only verb (what animal has stripes)."""
    opened = next((at for at, token in enumerate(after) if token.low in _OPENS), len(after))
    tags = {token.tag for token in after[1:opened]}
    return (after[0].low in HAVE and "VBN" not in tags) or (
        after[0].low in DO and not tags & ({"VB", "VBP"} | _NOUN | {"PRP"})
    )


def _noun_end(tokens: Tokens, start: int) -> int | None:
    for place in range(start, len(tokens)):
        token = tokens[place]
        if token.low in AUXILIARY or (place > start and _determined(token, tokens[place - 1])):
            return place
        if token.tag in _FINITE and place + 1 < len(tokens):
            helped = token.tag != "VBZ" and any(other.low in AUXILIARY for other in tokens[place + 1 : place + 3])
            if not helped:
                return place
        if token.low in {"that", "who", "which", "whose", ","}:
            return None
    return next((at for at in range(start + 1, len(tokens) - 1) if _verb_like(tokens, at)), None)


def _determined(token: Token, before: Token) -> bool:
    """Return whether a subject begins right behind a noun: the question is in the order of a statement."""
    return before.tag in _NOUN and (token.tag in {"PRP", "DT"} or token.low in {"this", "these", "those"})


def _verb_like(tokens: Tokens, place: int) -> bool:
    """Return whether a word tagged as a noun is rather the verb (what part reacts with the air)."""
    token, after = tokens[place], tokens[place + 1]
    verb = wordnet().morphy(token.low, "v")
    base = (token.tag in {"VB", "NN"} and verb == token.low and tokens[place - 1].tag == "NNS") or token.tag == "VB"
    return (
        tokens[place - 1].tag in _NOUN
        and after.tag in {"IN", "DT", "TO", "PRP$", "PDT"}
        and (base or (token.tag == "NNS" and verb is not None and verb != token.low))
    )


def _mended(after: Tokens) -> Tokens:
    """Return the tokens with a last verb that was taken for a noun tagged as one (is the man playing; does it rotate)."""
    last = len(after) - 1 - (after[-1].tag in STRANDED)
    if (
        last < 2
        or after[last].tag not in {"NN", "NNS", "NNP", "JJ"}
        or after[last - 1].tag not in _NOUN | {"JJ", "PRP"}
    ):
        return after
    word, helper, tags = after[last].low, after[0].low, {token.tag for token in after[1:]}
    if (
        helper in BE
        and word.endswith("ing")
        and word not in _THINGS
        and not tags & {"VBG"}
        and wordnet().morphy(word, "v")
    ):
        tag = "VBG"
    elif helper in DO | MODAL and not tags & {"VB", "VBP"} and wordnet().knows(word, "v"):
        tag = "VB"
    else:
        return after
    return (*after[:last], Token(after[last].text, tag), *after[last + 1 :])


def _subject_end(after: Tokens) -> int | None:
    """Return where the subject ends after the auxiliary at 0: 1 where there is none, None where it cannot be told."""
    if len(after) == 1:
        return None
    first, helper = after[1], after[0].low
    if helper in BE and (first.tag in {"VBN", "VBG"} | STRANDED or _predicate_first(after)):
        return 1
    if (helper in MODAL and first.tag in {"VB", "RB"}) or (helper in HAVE and first.tag in {"VBN", "RB"}):
        return 1
    end = nominal_end(after, 1)
    if end < len(after) and end > 1 and after[end].tag in {"DT", "PRP"} and after[end].low not in {"all", "both"}:
        return _held_end(after, end) if helper in BE else None
    verb = _verb(after, end, helper)
    if verb is None:
        return _copula_end(after, end) if helper in BE else None
    while verb > end and (
        after[verb - 1].tag in _ADVERB or after[verb - 1].low in {"all", "being", "both", "n't", "not"}
    ):
        verb -= 1
    return verb if verb > 1 else None


def _held_end(after: Tokens, end: int) -> int | None:
    """Return the end of a subject with a clause of its own (the hat the man is wearing), None where more follows it."""
    own = next((at for at in range(end, len(after)) if after[at].tag.startswith("VB") or after[at].tag == "MD"), None)
    verb = next((at for at in range(own or 0, len(after)) if after[at].tag in {"VBG", "VBN", "VB"}), own)
    if own is None or verb is None or any(token.tag.startswith("VB") for token in after[verb + 1 :]):
        return None
    return len(after)


def _predicate_first(after: Tokens) -> bool:
    """Return whether an adjective or adverb follows "be" that belongs to no noun (is best for; is the most flavorful)."""
    place = 2 if after[1].low == "the" else 1
    while place < len(after) and after[place].tag in _ADVERB:
        place += 1
    if place == 1 and after[1].tag not in _ADJECTIVE:
        return False
    if place > 1 and after[1].tag in _ADVERB and after[1].low not in {"n't", "not"}:
        return True
    after_it = after[place:]
    tags = [token.tag for token in after_it[:2]]
    if not tags or tags[0] in {"VBN", "VBG"} | STRANDED:
        return place > 1 and after[1].low != "the"
    return tags[0] in _ADJECTIVE and (len(tags) == 1 or tags[1] in STRANDED | {"CC"})


def nominal_end(tokens: Tokens, start: int) -> int:
    """Return where the noun phrase that begins at ``start`` ends, what follows its head left out."""
    place = start
    if start >= len(tokens):
        return start
    if tokens[start].low in _PRONOUNS and (len(tokens) == start + 1 or tokens[start + 1].tag not in _NOMINAL):
        return start + 1
    if tokens[start].tag == "PRP":
        return start + 1
    while place < len(tokens) and (tokens[place].tag in _NOMINAL or _inside(tokens, place)):
        if place > start and tokens[place - 1].tag in _NOUN and _leaves(tokens, place):
            break
        place += 1
    return place


def _leaves(tokens: Tokens, place: int) -> bool:
    """Return whether what follows a noun is no part of its phrase: a predicate (famous for), or a clause (the man is holding)."""
    linked = place + 1 < len(tokens) and tokens[place + 1].tag in STRANDED
    return tokens[place].tag in {"DT", "PRP"} or (tokens[place].tag in _ADJECTIVE and linked)


def _inside(tokens: Tokens, place: int) -> bool:
    """Return whether a participle, adverb or "and" stands before more of the same noun phrase."""
    after = tokens[place + 1].tag if place + 1 < len(tokens) else ""
    before = tokens[place - 1].tag
    if tokens[place].tag in {"VBG", "VBN"}:
        return after in _NOUN and before in {"DT", "JJ", "PRP$"}
    if tokens[place].tag in _ADVERB:
        return after in {"JJ", "VBN"} and before == "DT"
    return tokens[place].low in {"and", "&"} and before in _NOUN and after in _NOMINAL


def _verb(after: Tokens, end: int, helper: str) -> int | None:
    """Return the place of the main verb at or after ``end``."""
    if helper in BE and after[-1].tag in STRANDED and after[-2].tag in {"VBN", "VBG"}:
        return len(after) - 2
    wanted = {"VBN"} if helper in HAVE else {"VBG", "VBN", "VBD"} if helper in BE else {"VB", "VBP"}
    for place in range(end, len(after)):
        token = after[place]
        if token.low in _OPENS and not _with_noun(after, place):
            return None
        if token.tag in wanted and token.low not in {"being", "been"} and not _inside(after, place):
            return place
    return None


def _with_noun(after: Tokens, place: int) -> bool:
    """Return whether the word at ``place`` is a "that" with its noun (that man), not one that opens a clause."""
    return after[place].tag == "DT" and place + 1 < len(after) and after[place + 1].tag in _NOUN


def _copula_end(after: Tokens, end: int) -> int:
    """Return where the subject of a plain "be" ends: before a last preposition or verb and what it hangs on, else at the end."""
    size = len(after)
    if after[-1].tag in {"VB", "VBG"}:
        return end
    if after[-1].tag in STRANDED and size - 1 >= end:
        return end if end < size - 1 and after[end].tag in _ADJECTIVE else size - 1
    return size
