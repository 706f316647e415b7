"""Tags of a question's words: by spaCy's English model, or where there is none by closed classes and WordNet."""

from typing import TYPE_CHECKING

from kbe_graph.express.tokens import AUXILIARY, DO, MODAL, Token, Tokens
from kbe_graph.extract.parse import Word, tagged
from kbe_graph.lexicon.inflect import is_plural
from kbe_graph.lexicon.wordnet import wordnet

if TYPE_CHECKING:
    from spacy.language import Language

_PENN = {"DET": "DT", "ADP": "IN", "ADJ": "JJ", "ADV": "RB", "NUM": "CD", "CCONJ": "CC", "SCONJ": "IN", "PUNCT": ","}
_OWNERS = {"his", "her", "its", "their", "our", "your", "my"}
_WORDS = {
    "what": "WP",
    "which": "WDT",
    "who": "WP",
    "whom": "WP",
    "where": "WRB",
    "when": "WRB",
    "to": "TO",
    "'s": "POS",
}
_WORDS |= {"be": "VB", "been": "VBN", "being": "VBG"}
_WORDS |= {"there": "EX", "no": "DT", "not": "RB", "of": "IN", "this": "DT", "that": "DT", "best": "RBS", "most": "RBS"}


def tag(text: str, language: "Language | None") -> Tokens:
    """Return the words of a tidied question with their tags."""
    if language is None:
        return _by_wordnet(text)
    doc = language(f"{text}?", disable=["parser", "ner", "lemmatizer", "attribute_ruler"])
    return tuple(Token(token.text, token.tag_) for token in doc)[:-1]


def _by_wordnet(text: str) -> Tokens:
    found: list[Token] = []
    for word in tagged(text):
        found.append(Token(word.text, _penn(word, found)))
    return tuple(found)


def _penn(word: Word, before: list[Token]) -> str:
    """Return the tag of a word; a verb behind a determiner or adjective is a noun, a noun behind "does this X" is a verb."""
    if word.low in _WORDS or word.low in AUXILIARY:
        return _WORDS.get(word.low) or ("MD" if word.low in MODAL else "VBZ")
    if word.tag == "PRON":
        return "PRP$" if word.low in _OWNERS else "PRP"
    if word.tag in _PENN:
        return _PENN[word.tag]
    last = before[-1] if before else Token("", "")
    if word.tag == "VERB" and last.tag in {"DT", "JJ", "PRP$", "POS", "IN", "CD"} and not _participle(word):
        return _noun(word)
    return _verb(word, before) if word.tag == "VERB" else _noun(word)


def _noun(word: Word) -> str:
    return "NNS" if is_plural(word.low) else "NN"


def _participle(word: Word) -> bool:
    return word.low.endswith(("ing", "ed")) or _irregular(word)


def _irregular(word: Word) -> bool:
    return word.low in wordnet().exceptions["v"]


def _verb(word: Word, before: list[Token]) -> str:
    helpers = [token.low for token in before if token.low in AUXILIARY | {"being", "been"}]
    if word.low.endswith("ing") and word.lemma != word.low:
        return "VBG"
    if (helpers and helpers[-1] in DO | MODAL) or (before and before[-1].tag == "TO"):
        return "VB"
    if _participle(word):
        return "VBN" if helpers or (_irregular(word) and word.low.endswith("n")) or _after_noun(before) else "VBD"
    return "VBZ" if word.low.endswith("s") and word.lemma != word.low else "VBP"


def _after_noun(before: list[Token]) -> bool:
    """Return whether a subject is complete before a participle (the company advertised on it), not "what company made"."""
    return len(before) > 3 and before[-1].tag.startswith("NN") and before[-2].tag == "DT"
