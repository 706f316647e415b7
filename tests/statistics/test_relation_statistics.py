"""Statistics of relations: on triplets small enough to count by hand, on laws that are known, on the graph itself."""

import numpy as np
import pandas as pd
import pytest
from specimens import SAMPLE, family, load

from kbe_graph.errors import InputError
from kbe_graph.statistics.plots import PLOTS, draw_statistic
from kbe_graph.statistics.relation_comparison import compare, families
from kbe_graph.statistics.relation_statistics import (
    chains,
    co_occurrence,
    frequency,
    growth,
    heaps,
    new_relations,
    object_entropy,
    object_types,
    zipf,
)
from kbe_graph.statistics.statistic_names import STATISTICS
from kbe_graph.statistics.statistic_tables import (
    COLUMNS,
    OF_QUESTIONS,
    OF_STATEMENTS,
    OF_TRIPLETS,
    check_statistic,
    edge_frame,
    laws,
    part_frame,
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
    assert table["zipf"].sum() == pytest.approx(1)


def test_the_exponent_of_a_zipf_law_is_found() -> None:
    for exponent in [0.5, 1.0, 1.7]:
        fit = zipf(1000000.0 * np.arange(1, 400) ** (-exponent))
        assert fit.exponent == pytest.approx(exponent, abs=0.001), exponent
        assert fit.distance < 0.001, exponent


def test_the_exponent_of_heaps_law_is_found() -> None:
    triplets = np.geomspace(1, 1e5, 20)
    fit = heaps(pd.DataFrame({"triplets": triplets, "relations": 3 * triplets**0.6}))
    assert (fit.exponent, fit.factor) == (pytest.approx(0.6), pytest.approx(3))
    assert fit.error < 1e-9


def test_growth_is_the_mean_of_all_draws() -> None:
    table = growth(EDGES)
    assert rows(table, "samples") == [(1,), (2,), (3,)]
    # one sample: 3, 2 or 3 relations; two: 3, 4 or 3 of them; all: 4
    assert list(table["relations"]) == pytest.approx([8 / 3, 10 / 3, 4])


def test_new_relations_are_those_of_no_earlier_hop() -> None:
    assert rows(new_relations(EDGES), "hop", "triplets", "relations", "new", "all") == [
        (0, 6, 3, 3, 3),
        (1, 1, 1, 1, 4),
        (2, 1, 1, 0, 4),
    ]


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


def test_types_without_a_name_are_unknown() -> None:
    table = object_types(EDGES).set_index(["type", "relation"])
    assert table.loc[("unknown", "on"), "triplets"] == 2
    assert table.loc[("animal", "depicts"), "share"] == 1


def test_families_are_proposed_with_their_measure_and_not_merged() -> None:
    places = [f"place {number}" for number in range(8)]
    made = [("located in", place) for place in places] + [("situated in", place) for place in places]
    made += [("made of", "x"), ("mainly made of", "y"), ("sitting in", "z"), ("sitting on", "z")]
    edges = pd.DataFrame(made, columns=["relation", "object"])
    table = families(edges)
    assert rows(table, "relation", "other", "measure") == [
        ("located in", "situated in", "objects"),
        ("made of", "mainly made of", "words"),
    ]
    assert table["similarity"].tolist() == pytest.approx([1, 0.75])
    assert table["triplets"].tolist() == [8, 1]


def test_equal_parts_do_not_diverge_and_parts_with_nothing_in_common_do() -> None:
    same = compare(EDGES, EDGES)
    assert same.figures.set_index("figure").loc["divergence", "first"] == 0
    assert same.figures.set_index("figure").loc["p", "first"] == 1
    assert (same.relations["holm"] == 1).all()
    crowd = pd.concat([EDGES.assign(sample=EDGES["sample"] + str(number)) for number in range(20)])
    other = crowd.assign(relation="other " + crowd["relation"])
    apart = compare(crowd, other)
    figures = apart.figures.set_index("figure")["first"]
    assert figures["divergence"] == pytest.approx(1)
    assert figures["p"] == 0.001
    assert set(apart.relations["only"]) == {"first", "second"}
    assert apart.relations["holm"].iloc[0] < 1e-6
    assert rows(apart.relations.head(1), "samples", "other_samples") == [(60, 0)]


def test_laws_of_one_relation_are_no_numbers() -> None:
    assert laws(EDGES.head(1))["exponent"].isna().all()


def test_each_statistic_is_told_of_and_made() -> None:
    assert [*OF_QUESTIONS, *OF_TRIPLETS, *OF_STATEMENTS] == [*STATISTICS]
    with pytest.raises(InputError, match="no statistic 'chain'; take chains"):
        check_statistic("chain")


def test_what_is_empty_gives_empty_tables() -> None:
    for name, make in OF_TRIPLETS.items():
        assert name == "laws" or make(EDGES.head(0)).empty, name


def test_plots_are_drawn_the_same_each_time(tmp_path) -> None:
    for name in PLOTS.keys() & OF_TRIPLETS.keys():
        frame = OF_TRIPLETS[name](EDGES.replace("family", "$family"))
        if frame.empty:
            continue
        first = draw_statistic(name, frame, tmp_path / "plots").read_bytes()
        assert first.startswith(b"<?xml")
        assert draw_statistic(name, frame, tmp_path / "plots").read_bytes() == first
    draw_statistic("compare", compare(EDGES, EDGES).relations, tmp_path)
    with pytest.raises(InputError, match="no plot of 'laws'; choose from "):
        draw_statistic("laws", EDGES, tmp_path)
    with pytest.raises(InputError, match="nothing to plot of 'hops'"):
        draw_statistic("hops", EDGES.head(0), tmp_path)


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
    assert len(part_frame(store, "okvqa")) == len(part_frame(store, "okvqa/val")) == 9
    assert part_frame(store, "first")["object"].tolist() == ["giraffidae"]
    with pytest.raises(InputError, match="no benchmark, split or run 'coco'; available: first, okvqa, okvqa/val"):
        part_frame(store, "coco")
