"""Benchmark files, read as samples: one module a format."""

from kbe_graph.datasets.benchmark import FORMATS, Benchmark, read

__all__ = ["FORMATS", "Benchmark", "read"]
