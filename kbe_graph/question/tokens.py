"""Words with Penn Treebank tags, from spaCy's model or from WordNet; the classes of tags, and the auxiliaries."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from kbe_graph.english.number import is_plural
from kbe_graph.english.parse import Parser, Word
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words

BE = {"is", "are", "was", "were", "am", "be"}
DO = {"do", "does", "did"}
HAVE = {"has", "have", "had"}
MODAL = {"can", "could", "would", "will", "should", "might", "may", "must", "shall"}
AUXILIARY = BE | DO | HAVE | MODAL
STRANDED = {"IN", "RP", "TO"}
NOMINAL = {"DT", "JJ", "JJR", "JJS", "NN", "NNS", "NNP", "NNPS", "CD", "PRP", "PRP$", "POS", "HYPH", "PDT", "EX"}
NOUN = {"NN", "NNS", "NNP", "NNPS"}
ADJECTIVE = {"JJ", "JJR", "JJS"}
FINITE = {"VBZ", "VBP", "VBD"}
ADVERB = {"RB", "RBR", "RBS"}
OPENS = {"that", "which", "who", "where", "to", "when", "if", "because", "whose", "while"}


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
_WORDS |= {"there": "EX", "not": "RB", "that": "DT", "best": "RBS", "most": "RBS"}


class Token(NamedTuple):
    """A word with its tag."""

    text: str
    tag: str

    @property
    def low(self) -> str:
        """The word in lower case."""
        return self.text.lower()


Tokens = Sequence[Token]


def joined(tokens: Tokens) -> str:
    """Join the words of tokens, without spaces before possessives and commas or around hyphens."""
    text = ""
    for before, token in zip((None, *tokens), tokens, strict=False):
        close = token.tag in {"POS", "HYPH", ","} or token.low in {"n't", "'s"} or before is None
        text += token.text if close or (before and before.tag in {"HYPH", "$"}) else f" {token.text}"
    return text.strip()


def tag(text: str, parser: Parser) -> Tokens:
    """Tag the words of a tidied question."""
    return tokens_of(parser.words(as_question(text)))


def tokens_of(words: Sequence[Word]) -> Tokens:
    """Convert the words of a tidied question, parsed with a question mark, to tokens without it."""
    if any(word.dep for word in words):
        return tuple(Token(word.text, word.fine) for word in words)[:-1]
    return _by_wordnet(words[:-1])


def as_question(text: str) -> str:
    """Add the question mark that a tidied question is parsed with."""
    return f"{text}?"


def _by_wordnet(words: Sequence[Word]) -> Tokens:
    tokens: list[Token] = []
    for word in words:
        tokens.append(Token(word.text, _penn(word, tokens)))
    return tuple(tokens)


def _penn(word: Word, before: list[Token]) -> str:
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
    return len(before) > 3 and before[-1].tag.startswith("NN") and before[-2].tag == "DT"


_DO = {"do", "does", "did"}


def with_verb(text: Sequence[Word]) -> tuple[Word, ...]:
    """Restore the verb that "do" or "be" lacks, if it was tagged as a noun: what does the pole display."""
    helper = next((word for word in text if _helps(word)), None)
    if helper is None or any(word.tag == "VERB" and word != helper for word in text):
        return tuple(text)
    of_do = helper.low in _DO or helper.lemma == "do"
    pairs = zip(text[helper.at + 1 :], text[helper.at + 2 :], strict=False)
    found = next(((before, verb) for before, verb in pairs if before.noun and _is_left(text, verb, of_do=of_do)), None)
    if found is None:
        return tuple(text)
    before, verb = found
    subject = replace(before, dep="nsubj", head=verb.at) if before.dep else before
    fine = "VB" if of_do else "VBG"
    main = replace(verb, tag="VERB", fine=fine, dep="ROOT" if verb.dep else "", head=verb.at if verb.dep else -1)
    return tuple({before.at: subject, verb.at: main}.get(word.at, word) for word in text)


def _helps(word: Word) -> bool:
    return word.lemma == "do" or word.low in _DO | BE


def _is_left(text: Sequence[Word], verb: Word, *, of_do: bool) -> bool:
    form = wordnet().morphy(verb.low, "v")
    if of_do or not verb.noun:
        return verb.noun and form == verb.low
    is_noun = not verb.low.endswith("ing") or verb.low in words("ing nouns") or form is None
    return not is_noun and any(word.tag == "ADP" for word in text[verb.at + 1 : verb.at + 2])
