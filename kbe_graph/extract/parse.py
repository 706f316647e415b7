"""A text as words with their parts of speech, and how they hang together where spaCy's English model is there."""

import re
from dataclasses import dataclass
from functools import lru_cache

from kbe_graph.lexicon.english import english, english_name
from kbe_graph.lexicon.wordnet import Part, wordnet

_TOKEN = re.compile(r"[A-Za-z0-9]+(?:[-'&.][A-Za-z0-9]+)*|'s|[^\sA-Za-z0-9]")
_CLOSED = {
    "DET": "a an the this that these those some any each every no all both another",
    "PRON": "i you he she it we they him her them us me his its their our your my who whom whose what which there one",
    "ADP": "of in on at by with from to for into onto over under near behind beside between above below along through "
    "across around against inside outside toward towards off up down about as like during without next",
    "AUX": "is are was were be been being am do does did has have had can could will would shall should may might must",
    "CCONJ": "and or but nor",
    "SCONJ": "if because while when where why how that than",
    "PART": "'s not",
    "ADV": "very there here together just only also most more",
}
_TAGS = {word: tag for tag, words in _CLOSED.items() for word in words.split()}
_PARTS: dict[str, Part] = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: as written, its lemma, its universal part of speech and its Penn tag.

    ``dep`` names how it hangs on the word at ``head`` (spaCy's English labels); empty where no model is there.
    """

    at: int
    text: str
    lemma: str
    tag: str
    fine: str = ""
    dep: str = ""
    head: int = -1

    @property
    def low(self) -> str:
        """The word in small letters."""
        return self.text.lower()

    @property
    def noun(self) -> bool:
        """Whether it is a common or proper noun."""
        return self.tag in ("NOUN", "PROPN")


@lru_cache(maxsize=4096)
def parse(text: str) -> tuple[Word, ...]:
    """Return the words of a text, each text by itself, so that its parse never depends on its neighbours."""
    model = english()
    if model is None:
        return tagged(text)
    doc = model(" ".join(text.split()), disable=["ner"])
    return tuple(
        Word(word.i, word.text, word.lemma_.lower(), word.pos_, word.tag_, word.dep_, word.head.i) for word in doc
    )


def tagged(text: str) -> tuple[Word, ...]:
    """Return the words of a text by closed classes and by WordNet's most frequent part of speech; no dependencies."""
    return tuple(_word(at, token) for at, token in enumerate(_TOKEN.findall(text)))


def parser_name() -> str:
    """Return what parses: the name of the spaCy model, or ``WordNet``."""
    return english_name() or "WordNet"


def _word(at: int, token: str) -> Word:
    low = token.lower()
    if not low[0].isalnum() and low not in _TAGS:
        return Word(at, token, low, "PUNCT")
    if low in _TAGS or low.isdecimal():
        return Word(at, token, low, _TAGS.get(low, "NUM"))
    tag = _open_class(low)
    fine = "VBG" if tag == "VERB" and low.endswith("ing") else "VBN" if tag == "VERB" and low.endswith("ed") else ""
    return Word(at, token, wordnet().morphy(low, _PARTS[tag]) or low, tag, fine)


def _open_class(low: str) -> str:
    def often(part: Part) -> int:
        base = wordnet().morphy(low, part)
        return -1 if base is None else wordnet().counts(base).get(part, 0)

    if low.endswith("ing") and often("v") >= 0 and often("n") < 5:
        return "VERB"
    return max(_PARTS, key=lambda tag: often(_PARTS[tag]))
