"""Extraction of a sample's visual, textual and key triplets from its question and image annotations."""

from kbe_graph.datasets.annotations import Annotations, read_annotations
from kbe_graph.extract.sample_graph import NO_VISUAL, extract, extract_all

__all__ = ["NO_VISUAL", "Annotations", "extract", "extract_all", "read_annotations"]
