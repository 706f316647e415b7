"""From a sample and what is known of its image to its visual, textual and key triplets."""

from kbe_graph.extract.annotations import Annotations, read_annotations
from kbe_graph.extract.extraction import NO_VISUAL, extract, extract_all
from kbe_graph.extract.question import Asked, analyse

__all__ = ["NO_VISUAL", "Annotations", "Asked", "analyse", "extract", "extract_all", "read_annotations"]
