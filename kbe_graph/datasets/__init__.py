"""Benchmark files as samples, with one module per format."""

from kbe_graph.datasets.benchmark import FORMATS, Benchmark, read_benchmark

__all__ = ["FORMATS", "Benchmark", "read_benchmark"]
