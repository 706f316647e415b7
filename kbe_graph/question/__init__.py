"""Parsing of benchmark questions; each reading is cached."""

from kbe_graph.question.reading import Reading, parse_questions, read

__all__ = ["Reading", "parse_questions", "read"]
