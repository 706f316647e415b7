"""What is left of a question without "name" or "what is the name of" in front."""

from typing import NamedTuple

from kbe_graph.english.parse import Parser
from kbe_graph.question.clause import Clause, clause_of
from kbe_graph.question.rewrites import rewrite
from kbe_graph.question.tokens import Tokens, tag


class Core(NamedTuple):
    """A question without "name" or "what is the name of" in front, taken apart; ``named``: a noun phrase is left."""

    tokens: Tokens
    clause: Clause | None
    named: bool


def core_of(tidied: str, parser: Parser) -> Core | None:
    """Return what is left of a tidied text; None where nothing of the kind stands in front."""
    direct, plain = rewrite("name it", tidied), rewrite("name of", tidied)
    text = direct if plain == tidied else plain
    if text == tidied:
        return None
    tokens = tag(text, parser)
    still_asks = any(token.low == "what" for token in tokens) or tokens[-1].low in {"which", "who"}
    return Core(tokens, clause_of(tokens), named=direct != tidied or not still_asks)
