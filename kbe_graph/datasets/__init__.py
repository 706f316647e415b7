"""Benchmark files as samples, and annotations of their images."""

from kbe_graph.datasets.benchmark import FORMATS, Benchmark, read_benchmark

__all__ = ["FORMATS", "Benchmark", "read_benchmark"]
