"""Reads benchmark files as samples, one module a format."""

from kbe_graph.datasets.benchmark import FORMATS, Benchmark, read_benchmark

__all__ = ["FORMATS", "Benchmark", "read_benchmark"]
