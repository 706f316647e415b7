"""Whose turn it is: questions with one answer are gone on from in turn, so that their words differ."""

from collections import Counter
from collections.abc import Mapping

from kbe_graph.seeds import seed_of
from kbe_graph.store import Store
from kbe_graph.text import fold

Turns = Mapping[str, int]
"""How many of the questions with a sample's chain of relations and answer come before its own."""


def turns_of(ends: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    """Return the turn of each sample among those with one end: a chain of relations, and its answer.

    By the turn the next hop takes the next of the wordings that would do. So each is used as often for one answer as
    for another, and no accident of the words tells an animal from others.
    """
    taken: Counter[tuple[str, ...]] = Counter()
    turns: dict[str, int] = {}
    for sample in sorted(ends, key=seed_of):
        turns[sample] = taken[ends[sample]]
        taken[ends[sample]] += 1
    return turns


def saved_turns(store: Store, run: str, hop: int) -> dict[str, int]:
    """Return the turns of the questions of a hop that are in the graph; at hop 0 all have the first."""
    if hop == 0:
        return {}
    return turns_of(
        {
            question.sample: (*(triplet.relation for triplet in question.explored), fold(question.answer))
            for question in store.questions(run=run, hop=hop)
        }
    )
