"""Graph storage: the only package that speaks Bolt and knows which engine is in use."""

from kbe_graph.store.address import Address, graph_address, server_address
from kbe_graph.store.connect import Store, open_store
from kbe_graph.store.edges import CycleRow
from kbe_graph.store.nodes import CandidateRow, Evolved, SampleStatus
from kbe_graph.store.user_query import Table

__all__ = [
    "Address",
    "CandidateRow",
    "CycleRow",
    "Evolved",
    "SampleStatus",
    "Store",
    "Table",
    "graph_address",
    "open_store",
    "server_address",
]
