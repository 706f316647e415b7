"""A knowledge source: two facts about giraffes."""

from functools import partial

from kbe_graph import Fact
from kbe_graph.evolve.knowledge import pack_row
from kbe_graph.facts.pack import Pack, pack

giraffe = partial(Fact, "wn30:02439033-n", "giraffe", source="zoo", evidence="The keeper says so.")
FACTS = (
    giraffe("taxonomic family", "x:Giraffidae", "Giraffidae"),
    giraffe("young", "x:Niger", "the calf of the river Niger"),
)
ZOO = pack_row("what a zoo knows", Pack(FACTS, pack().relations))
