"""Re-selection in Cypher, on every engine, against networkx on the same graphs."""

from collections import Counter
from itertools import pairwise

import networkx as nx
from drawn_graphs import drawn, save
from specimens import BESIDE, COLOUR, DEPICTS, NEAR, SAMPLE, load

from kbe_graph.store import Store
from kbe_graph.store.edges import MOST_ENDS, PATHS_TO_AN_END, Path
from kbe_graph.types import IMAGE, SampleGraph

TIES = {0: "144343316116413633461316133436", 1: "114343316146411633461316133436"}


def paths_of(store: Store, ids: list[str], *, seed: int = 0, max_length: int = 10) -> dict[str, list[Path]]:
    """The paths of samples whose graphs are saved."""
    return store.reselect(store.graphs(ids), seed=seed, max_length=max_length)


def longest(graph: SampleGraph, answer: str) -> int:
    """The length of the longest simple path from IMAGE to a noun, by networkx."""
    wide = nx.DiGraph((one.subject.key, one.object.key) for one in graph.visual)
    nouns = {one.object.key for one in graph.visual if one.object.noun} - {answer}
    return max(len(path) - 1 for path in nx.all_simple_paths(wide, "image", nouns, cutoff=10))


def test_the_longest_path_to_a_noun_comes_first(store: Store) -> None:
    load(store)
    found = paths_of(store, [COLOUR.id, SAMPLE.id])
    assert found[COLOUR.id] == [(DEPICTS, NEAR, BESIDE), (DEPICTS, NEAR), (DEPICTS,)]
    assert [path[-1].object.name for path in found[SAMPLE.id]] == ["BIRD", "TREE", "TREE"]


def test_paths_agree_with_networkx_and_are_simple(store: Store) -> None:
    pairs = [drawn(number, entities=7, edges=9) for number in range(30)]
    save(store, pairs)
    found = paths_of(store, [sample.id for sample, _ in pairs], seed=5)
    for sample, graph in pairs:
        paths = found[sample.id]
        ends = Counter(path[-1].object for path in paths)
        assert 1 <= len(ends) <= MOST_ENDS
        assert max(ends.values()) <= PATHS_TO_AN_END
        assert len(paths[0]) == longest(graph, "thing 0")
        assert sorted(map(len, paths), reverse=True) == list(map(len, paths))
        assert len({(path[-1].object, len(path)) for path in paths}) == len(paths)
        for path in paths:
            assert path[0].subject == IMAGE
            assert path[-1].object.noun
            assert all(one.object == other.subject for one, other in pairwise(path))
            assert len({one.object for one in path} | {IMAGE}) == len(path) + 1


def test_ties_are_drawn_with_the_seed_and_alike_on_every_engine(store: Store) -> None:
    pairs = [drawn(number, entities=7, edges=9) for number in range(30)]
    save(store, pairs)
    ids = [sample.id for sample, _ in pairs]
    ends = {
        seed: [found[0][-1].object.name[-1] for found in paths_of(store, ids, seed=seed).values()] for seed in (0, 1)
    }
    assert {seed: "".join(names) for seed, names in ends.items()} == TIES
