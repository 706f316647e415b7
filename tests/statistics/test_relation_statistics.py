"""Statistics of relations and of sets of questions, on cases small enough to count by hand and on the graph itself."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import kbe_here
from specimens import SAMPLE, family, load

from kbe_graph import Workspace
from kbe_graph.errors import InputError
from kbe_graph.statistics import STATISTICS
from kbe_graph.statistics.question_statistics import COLUMNS, chains, edge_frame, frequency, object_entropy, variety
from kbe_graph.store import Store
from kbe_graph.types import Entity, Question, question_id

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


def explored(number: int, relation: str, answer: str) -> Question:
    """A kept question of hop 1 of a sample of its own."""
    question, sample = family().question, f"own/val/{number}"
    *root, last = question.key
    key = (*root, replace(last, relation=relation, object=Entity(answer)))
    return replace(
        question,
        id=question_id(sample, "r", 1),
        sample=sample,
        run="r",
        key=key,
        answer=answer,
    )


def test_a_set_of_one_kind_of_question_is_told_from_a_varied_one() -> None:
    raw = [replace(family().question, sample=f"own/val/{number}", hop=0, kind="raw") for number in range(10)]
    alike = [explored(number, "family", "bears") for number in range(4)]
    varied = [explored(number, f"relation {number}", f"answer {number}") for number in range(4)]
    (one,), (four,) = (variety([*raw, *questions]).to_dict("records") for questions in (alike, varied))
    assert (one["relations"], one["effective relations"], one["largest relation"]) == (1, 1.0, 1.0)
    assert (one["chains"], one["answers"]) == (1, 1)
    assert (four["relations"], four["largest chain"]) == (4, 0.25)
    assert four["effective answers"] == pytest.approx(4)
    assert (four["benchmark"], four["hop"], four["samples"], four["share"]) == ("own", 1, 4, 0.4)
    mixed = [explored(number, "family" if number < 3 else "origin", str(number)) for number in range(4)]
    unsourced = replace(mixed[0], key=(*mixed[0].key[:-1], replace(mixed[0].key[-1], source="unsourced")))
    (row,) = variety([unsourced, *mixed[1:]]).to_dict("records")
    assert row["effective relations"] == pytest.approx(np.exp(-0.75 * np.log(0.75) - 0.25 * np.log(0.25)))
    assert row["unsourced"] == 1
    assert variety([replace(unsourced, status="dropped", reason="leak")]).empty


def test_each_statistic_is_printed_and_as_json(demo_looked_at: Path) -> None:
    for what in STATISTICS:
        assert 2 <= len(kbe_here("-w", demo_looked_at, "stats", what, "--limit", 3).splitlines()) <= 4, what
    rows = json.loads(kbe_here("-w", demo_looked_at, "stats", "relations", "--json"))
    assert rows[0]["rank"] == 1
    with Workspace(demo_looked_at, progress=False) as work, pytest.raises(InputError, match="no statistic 'chain'"):
        work.stats.table(what="chain")
