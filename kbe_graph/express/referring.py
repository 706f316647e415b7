"""The referring form: where no noun phrase stands for an answer, its question is quoted and the answer called X.

"What replaced this mode of transportation?" becomes 'If X is the answer to "What replaced this mode of transportation?", what
do you call the operator of X?'.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kbe_graph.express.clause import read
from kbe_graph.express.phrases import around, forms_for, nested, opened
from kbe_graph.express.raw_text import misspelled, tidy
from kbe_graph.express.reference import Phrase, points
from kbe_graph.express.tagging import tag
from kbe_graph.express.tokens import DO, FINITE, Tokens
from kbe_graph.express.turn import lacks_preposition
from kbe_graph.express.wording import Wording, flaw, sentence
from kbe_graph.knowledge.pack import Pack
from kbe_graph.lexicon.wordnet import wordnet

if TYPE_CHECKING:
    from spacy.language import Language

_ASKS = re.compile(r"^(?:(?:in|at|on|from|for|by|of|to) )?(?:what|which|who|where)\b", re.IGNORECASE)
# Questions that have more than one answer.
_ANY = re.compile(
    r"^what (?:is|are|might be|could be) (?:one|a|an|some|another)\b|\b(?:other|else)\b|\bof an?\b", re.IGNORECASE
)
_NOT_TURNED = re.compile(
    r"^(?:what|which|where|who)\b[\w ]*? (?:this|these|it|they|he|she) (?:is|are|was|were)\b"
    r"|^(?:what|which) \w+ (?:is|are) (?:this|these|the) [\w ]*located\?"
    r"|^(?:in|at|on|from|for|by|of|to) .* (?:in|at|on|from|for|by|of|to)\?",
    re.IGNORECASE,
)
_X = Phrase("X")


def referring(
    pack: Pack, relations: Sequence[str], last: str, question: str, language: "Language | None"
) -> Iterator[Wording]:
    """Yield the questions of a chain of relations about the answer of a quoted question; none where that is no good English.

    ``relations`` are those before ``last``, the first innermost.
    """
    text = tidy(question)
    quoted = sentence(text)
    if not _is_well_formed(text, quoted, language):
        return
    about = "" if points(quoted) else " about this image"
    for inner in nested(pack, relations, (_X,)):
        for place, form in enumerate(forms_for(pack, last, inner)):
            if asked := opened(last, around(form, inner)):
                yield Wording(f'if X is the answer to "{quoted}"{about}, {asked}', f"referring/phrase {place}")


def _is_well_formed(text: str, quoted: str, language: "Language | None") -> bool:
    """Return whether a tidied question starts with its question word, turns verb and subject as English does, and has one answer."""
    if not _ASKS.match(text) or _NOT_TURNED.match(quoted) or _ANY.search(text):
        return False
    if flaw(quoted) or misspelled(text):
        return False
    tokens = tag(text, language)
    clause = read(tokens)
    if clause is not None and lacks_preposition(clause):
        return False
    return any(token.tag in FINITE | {"MD"} for token in tokens) and _is_bare_after_do(tokens)


def _is_bare_after_do(tokens: Tokens) -> bool:
    place = next((at for at, token in enumerate(tokens) if token.low in DO), None)
    if place is None:
        return True
    verb = next((token.low for token in tokens[place + 1 :] if token.tag.startswith("VB")), "")
    return verb != "" and wordnet().morphy(verb, "v") == verb
