"""Statistics of relations: on triplets small enough to count by hand, on laws that are known, on the graph itself."""

import numpy as np
import pandas as pd
import pytest
from specimens import SAMPLE, family, load

from kbe_graph.errors import InputError
from kbe_graph.statistics import STATISTICS
from kbe_graph.statistics.relation_statistics import (
    chains,
    co_occurrence,
    frequency,
    object_entropy,
)
from kbe_graph.statistics.statistic_tables import (
    COLUMNS,
    OF_QUESTIONS,
    OF_STATEMENTS,
    OF_TRIPLETS,
    check_statistic,
    edge_frame,
)
from kbe_graph.store import Store

ROWS = [
    ("b/1", "visual", "depicts", 0, "image", 1, "dog", 1, "animal"),
    ("b/1", "visual", "on", 0, "dog", 1, "grass", 1, "plant"),
    ("b/1", "visual", "near", 0, "dog", 1, "dog", 2, "animal"),
    ("b/2", "visual", "depicts", 0, "image", 1, "dog", 1, "animal"),
    ("b/2", "visual", "on", 0, "dog", 1, "sand", 1, ""),
    ("b/3", "visual", "depicts", 0, "image", 1, "cat", 1, "animal"),
    ("b/3", "textual", "family", 1, "cat", 1, "felidae", 1, ""),
    ("b/3", "textual", "on", 2, "felidae", 1, "earth", 1, ""),
]
EDGES = pd.DataFrame(ROWS, columns=list(COLUMNS))


def rows(frame: pd.DataFrame, *names: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in frame[list(names)].itertuples(index=False)]


def test_relations_are_ranked() -> None:
    table = frequency(EDGES)
    assert rows(table, "rank", "relation", "triplets", "samples") == [
        (1, "depicts", 3, 3),
        (2, "on", 3, 3),
        (3, "family", 1, 1),
        (4, "near", 1, 1),
    ]
    assert table["share"].sum() == pytest.approx(1)


def test_pairs_tell_how_much_more_often_than_by_chance() -> None:
    table = co_occurrence(EDGES, least=1).set_index(["relation", "other"])
    assert table.loc[("depicts", "on"), "pmi"] == 0
    pair = table.loc[("depicts", "near")]
    assert (pair["samples"], pair["expected"], pair["npmi"]) == (1, 1, 0)
    alone = co_occurrence(EDGES[EDGES["hop"] == 0], least=1).set_index(["relation", "other"]).loc[("near", "on")]
    assert alone["pmi"] == pytest.approx(np.log2(1 / (1 * 2 / 3)))


def test_chains_go_through_one_entity_of_one_sample() -> None:
    # the second dog is another dog: nothing leaves it
    assert rows(chains(EDGES), "relation", "next", "pairs", "share") == [
        ("depicts", "on", 2, 0.5),
        ("depicts", "family", 1, 0.25),
        ("depicts", "near", 1, 0.25),
        ("family", "on", 1, 1.0),
    ]


def test_entropy_tells_how_guessable_an_object_is() -> None:
    table = object_entropy(EDGES).set_index("relation")
    assert table.loc["on", ["objects", "evenness"]].tolist() == [3, 1]
    assert table.loc["on", "entropy"] == pytest.approx(np.log2(3))
    assert table.loc["depicts", ["commonest", "share"]].tolist() == ["dog", pytest.approx(2 / 3)]
    assert table.loc["family", ["entropy", "evenness", "share"]].tolist() == [0, 0, 1]


def test_each_statistic_is_told_of_and_made() -> None:
    assert [*OF_QUESTIONS, *OF_TRIPLETS, *OF_STATEMENTS] == [*STATISTICS]
    with pytest.raises(InputError, match="no statistic 'chain'; take chains"):
        check_statistic("chain")


def test_what_is_empty_gives_empty_tables() -> None:
    for name, make in OF_TRIPLETS.items():
        assert make(EDGES.head(0)).empty, name


def test_triplets_are_read_from_the_graph(embedded_store: Store) -> None:
    store = embedded_store
    load(store)
    store.save_questions([family(), family("second", "okapis")])
    edges = edge_frame(store, "first")
    assert len(edges) == 5 + 4 + 1
    explored = edges[edges["hop"] == 1]
    assert rows(explored, "sample", "graph", "subject", "object") == [(SAMPLE.id, "textual", "giraffe", "giraffidae")]
    assert edges.loc[edges["relation"] == "beside", "subject_number"].tolist() == [2, 2]
    assert len(edge_frame(store)) == 9
