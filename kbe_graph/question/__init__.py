"""Reads a benchmark's question: one reading, made once and kept."""

from kbe_graph.question.reading import Reading, parse_questions, read

__all__ = ["Reading", "parse_questions", "read"]
