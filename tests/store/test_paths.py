"""Re-selection in Cypher, on every engine, against networkx on the same graphs."""

from itertools import pairwise

import networkx as nx
import pytest
from drawn_graphs import dense, drawn, save
from specimens import BESIDE, COLOUR, DEPICTS, NEAR, SAMPLE, family, load

from kbe_graph.errors import KbeWarning
from kbe_graph.store import Store
from kbe_graph.store.paths import MOST_PATHS, reselect
from kbe_graph.types import IMAGE, Sample, SampleGraph

TIES = {0: "114343314146463633461316133436", 1: "114343314146463633463316133436"}


def longest(graph: SampleGraph, answer: str) -> int:
    """The length of the longest simple path from IMAGE to a noun, by networkx."""
    wide = nx.DiGraph((one.subject.key, one.object.key) for one in graph.visual)
    nouns = {one.object.key for one in graph.visual if one.object.noun} - {answer}
    return max(len(path) - 1 for path in nx.all_simple_paths(wide, "image", nouns, cutoff=10))


def test_the_longest_path_to_a_noun_comes_first(store: Store) -> None:
    load(store)
    found = store.reselect([COLOUR.id, SAMPLE.id], seed=0)
    assert found[COLOUR.id] == [(DEPICTS, NEAR, BESIDE), (DEPICTS, NEAR), (DEPICTS,)]
    assert [path[-1].object.name for path in found[SAMPLE.id]] == ["BIRD", "TREE", "TREE"]


def test_explored_triplets_are_no_way(store: Store) -> None:
    load(store)
    before = store.reselect([SAMPLE.id], seed=0)
    store.save_questions([family()])
    assert before == store.reselect([SAMPLE.id], seed=0)


def test_paths_agree_with_networkx_and_are_simple(store: Store) -> None:
    pairs = [drawn(number, entities=7, edges=9) for number in range(30)]
    save(store, pairs)
    found = store.reselect([sample.id for sample, _ in pairs], seed=5)
    for sample, graph in pairs:
        paths = found[sample.id]
        assert 1 <= len(paths) <= MOST_PATHS
        assert len(paths[0]) == longest(graph, "thing 0")
        assert sorted(map(len, paths), reverse=True) == list(map(len, paths))
        assert len({path[-1].object for path in paths}) == len(paths)
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
        seed: [found[0][-1].object.name[-1] for found in store.reselect(ids, seed=seed).values()] for seed in (0, 1)
    }
    assert {seed: "".join(names) for seed, names in ends.items()} == TIES


def test_the_old_key_and_the_old_answer_are_left_out(store: Store) -> None:
    sample = Sample("drawn/x/1", "drawn", "x", "What is near?", "tree")
    graph = SampleGraph(sample.id, (DEPICTS, NEAR, BESIDE), (), (DEPICTS, NEAR))
    save(store, [(sample, graph)])
    assert store.reselect([sample.id], seed=0) == {sample.id: [(DEPICTS,)]}


def test_no_path_is_an_empty_list(store: Store) -> None:
    sample = Sample("drawn/x/1", "drawn", "x", "What is it?", "giraffe")
    save(store, [(sample, SampleGraph(sample.id, (DEPICTS,), (), (DEPICTS,)))])
    assert store.reselect([sample.id, "nobody"], seed=0) == {sample.id: []}


def test_the_bound_holds(store: Store) -> None:
    load(store)
    assert [len(path) for path in store.reselect([SAMPLE.id], seed=0, max_length=2)[SAMPLE.id]] == [2]


def test_a_dense_graph_is_searched_as_far_as_it_does_not_explode(store: Store) -> None:
    sample, graph = dense()
    save(store, [(sample, graph)])
    with pytest.warns(KbeWarning, match="the graphs of 1 samples are so dense that only paths shorter than 10 edges"):
        paths = store.reselect([sample.id], seed=0)[sample.id]
    assert [len(path) for path in paths] == [3] * MOST_PATHS


def test_a_search_that_takes_too_long_is_left_out(store: Store) -> None:
    if store.connection.place.user == "root":
        pytest.skip("the embedded engine has one time limit for all statements, see test_store_embedded.py")
    pairs = [dense(), drawn(1, entities=7, edges=9)]
    save(store, pairs)
    found = reselect(store.connection, [sample.id for sample, _ in pairs], seed=0, timeout=1, most_trails=10**9)
    assert list(found) == [pairs[1][0].id]
