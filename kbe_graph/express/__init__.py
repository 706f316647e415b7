"""Writes the question of a key subgraph in words, by rule (KBE, section 3.2, expression)."""

from kbe_graph.express.rule import RuleExpresser
from kbe_graph.express.wording import Wording

__all__ = ["RuleExpresser", "Wording"]
