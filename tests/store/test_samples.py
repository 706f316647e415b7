"""Samples in the graph, on every engine."""

from dataclasses import replace

import pytest
from specimens import COLOUR, SAMPLE, dump, giraffe_graph, load, raw

from kbe_graph.errors import InputError
from kbe_graph.store import SampleStatus, Store


def test_loading_twice_changes_nothing(store: Store) -> None:
    store.save_samples([SAMPLE, COLOUR])
    once = dump(store)
    store.save_samples([COLOUR, SAMPLE])
    assert once == dump(store)


def test_samples_and_questions_are_in_the_order_of_their_table(store: Store) -> None:
    ids = [f"table/all/{row}" for row in (1, 2, 10, 11)]
    samples = [replace(SAMPLE, id=id_) for id_ in reversed(ids)]
    store.save_samples(samples)
    graphs = [replace(giraffe_graph(), sample=sample.id) for sample in samples]
    store.save_graphs(graphs, [raw(sample, graph) for sample, graph in zip(samples, graphs, strict=True)])
    assert [sample.id for sample in store.samples()] == ids
    assert store.sample_ids(status="extracted", limit=2) == ids[:2]
    assert [question.sample for question in store.questions()] == ids


def test_a_sample_that_reads_differently_loses_its_graph(store: Store) -> None:
    load(store)
    changed = replace(SAMPLE, question="What animal is it?")
    store.save_samples([changed])
    assert [changed] == store.samples(ids=[SAMPLE.id])
    assert store.graphs([SAMPLE.id]) == {}
    assert store.questions(samples=[SAMPLE.id]) == []
    assert store.sample_status([SAMPLE.id]) == {SAMPLE.id: SampleStatus("loaded")}


def test_a_sample_with_evolved_questions_cannot_change(full: Store) -> None:
    once = dump(full)
    with pytest.raises(InputError, match="the questions of run 'first' rest on the earlier version"):
        full.save_samples([replace(SAMPLE, answer="zebra")])
    assert once == dump(full)
