"""A knowledge source: two facts about giraffes."""

from functools import partial

from kbe_graph import Fact
from kbe_graph.evolve.knowledge import KnowledgeRow, pack_source
from kbe_graph.facts.pack import Pack, pack

giraffe = partial(Fact, "wn30:02439033-n", "giraffe", source="zoo", evidence="The keeper says so.")
FACTS = (
    giraffe("taxonomic family", "x:Giraffidae", "Giraffidae"),
    giraffe("young", "x:Niger", "the calf of the river Niger"),
)
ZOO = KnowledgeRow("what a zoo knows", lambda *_: pack_source("zoo", Pack(FACTS, pack().relations)))
