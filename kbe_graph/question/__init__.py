"""Reads a benchmark's question: one reading, made once and kept."""

from kbe_graph.question.reading import Reading, read

__all__ = ["Reading", "read"]
