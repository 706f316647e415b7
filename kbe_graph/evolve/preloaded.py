"""Imports for the process from which workers are forked, excluded from garbage collection."""

import gc
from importlib import import_module

from kbe_graph.english.parse import spacy_model_name

gc.disable()  # a worker enables it again
import_module("kbe_graph.evolve.runs")
import_module("kbe_graph.evolve.extract_samples")
if spacy_model_name():
    import_module("spacy")
gc.freeze()
