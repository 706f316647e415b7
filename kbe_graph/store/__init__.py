"""The graph: the only room that knows Bolt."""

from kbe_graph.store.connect import Address, open_store
from kbe_graph.store.rows import RAW, CandidateRow, CycleRow, Evolved
from kbe_graph.store.samples import SampleStatus
from kbe_graph.store.store import Store
from kbe_graph.store.user import Table

__all__ = ["RAW", "Address", "CandidateRow", "CycleRow", "Evolved", "SampleStatus", "Store", "Table", "open_store"]
