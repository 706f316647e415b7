"""Words with their tags (Penn Treebank), the classes of tags, and the auxiliaries."""

from collections.abc import Sequence
from typing import NamedTuple

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


class Token(NamedTuple):
    """A word with its tag."""

    text: str
    tag: str

    @property
    def low(self) -> str:
        """The word in small letters."""
        return self.text.lower()


Tokens = Sequence[Token]


def joined(tokens: Tokens) -> str:
    """Return the words of tokens as text, with possessives, commas and hyphens close."""
    text = ""
    for before, token in zip((None, *tokens), tokens, strict=False):
        close = token.tag in {"POS", "HYPH", ","} or token.low in {"n't", "'s"} or before is None
        text += token.text if close or (before and before.tag in {"HYPH", "$"}) else f" {token.text}"
    return text.strip()
