"""Takes a tagged question apart: question word, noun, auxiliary, subject and rest.

"What animal is the man riding?" has the noun "animal", the auxiliary "is", the subject "the man" and the rest "riding" (Quirk
et al. 1985, 11.14-15, wh-questions).
"""

from dataclasses import dataclass

from kbe_graph.express.subject import subject_end
from kbe_graph.express.tokens import (
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
from kbe_graph.lexicon.wordnet import wordnet

QUESTION_WORDS = {"what", "which", "who", "whom", "where", "when"}
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
    if end is None or (end == start + 2 and tokens[start + 1].low.endswith("ically")):
        return None
    if end > start + 2 and tokens[end - 1].tag in ADVERB and tokens[end].low not in AUXILIARY - HAVE:
        end -= 1
    if all(token.tag in ADVERB or token.low == "best" for token in tokens[start + 1 : end]):
        end = start + 1 if tokens[end].low not in AUXILIARY else end
    noun, after = joined(tokens[start + 1 : end]), tokens[end:]
    if _determined(tokens[end], tokens[end - 1]):
        return Clause(word, noun, "", (), after, link, stated=True)
    if after[0].low not in AUXILIARY or _main_verb(after):
        return Clause(word, noun, "", (), after, link)
    after = _mended(after)
    if after[0].low in BE | HAVE:
        after = tuple(
            token._replace(tag="VBN") if token.tag == "VBD" and token.low not in AUXILIARY else token for token in after
        )
    size = subject_end(after)
    return None if size is None else Clause(word, noun, after[0].low, after[1:size], after[size:], link)


def _main_verb(after: Tokens) -> bool:
    """Return whether "has" or "does" is the only verb (what animal has stripes)."""
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
    """Return the tokens with a last verb that was taken for a noun tagged as one (is the man playing; does it rotate)."""
    last = len(after) - 1 - (after[-1].tag in STRANDED)
    if (
        last < 2
        or after[last].tag not in {"NN", "NNS", "NNP", "JJ"}
        or after[last - 1].tag not in NOUN | {"JJ", "PRP", "IN"}
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
