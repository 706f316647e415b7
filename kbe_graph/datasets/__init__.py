"""Reads benchmark files as samples, one module a format."""

from kbe_graph.datasets.benchmark import FORMATS, Benchmark, formats, read_benchmark

__all__ = ["FORMATS", "Benchmark", "formats", "read_benchmark"]
