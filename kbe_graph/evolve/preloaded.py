"""Imports for the process that workers are forked from, which no search for cycles looks through."""

import gc
from importlib import import_module

from kbe_graph.english.parse import spacy_model_name

gc.disable()  # a worker turns it on again
import_module("kbe_graph.evolve.offline")
import_module("kbe_graph.evolve.extract_samples")
if spacy_model_name():
    import_module("spacy")
gc.freeze()
