"""Samples in the graph, on every engine."""

from dataclasses import replace

import pytest
from specimens import COLOUR, SAMPLE, dump, family, load

from kbe_graph.errors import InputError
from kbe_graph.store import SampleStatus, Store
from kbe_graph.types import Drop, Sample

OLDER = {"id": COLOUR.id, "properties": {"choice": None}}


def test_samples_come_back_as_they_were_sorted_by_id(store: Store) -> None:
    store.save_samples([COLOUR, SAMPLE])
    assert store.samples() == [SAMPLE, COLOUR]


def test_the_right_choice_comes_back_and_a_sample_loaded_before_has_none(store: Store) -> None:
    other = replace(COLOUR, choices=("tan", "red"), choice="tan")
    store.save_samples([other])
    assert store.samples() == [other]
    store.connection.write(lambda transaction: transaction.save("update_samples", [OLDER]))
    assert store.samples() == [replace(other, choice="")]


def test_each_condition_narrows(store: Store) -> None:
    other = Sample("aokvqa/test/1", "aokvqa", "test", "Why?", "because")
    store.save_samples([SAMPLE, COLOUR, other])
    assert store.samples(benchmark="okvqa") == [SAMPLE, COLOUR]
    assert [other] == store.samples(split="test")
    assert store.samples(ids=[SAMPLE.id, "nobody"]) == [SAMPLE]
    assert store.samples(ids=[SAMPLE.id], benchmark="aokvqa") == []
    assert [other, SAMPLE] == store.samples(limit=2)
    assert store.samples(status="extracted") == []
    with pytest.raises(InputError, match="no status 'lost'; choose from loaded, extracted, dropped"):
        store.samples(status="lost")


def test_loading_twice_changes_nothing(store: Store) -> None:
    store.save_samples([SAMPLE, COLOUR])
    once = dump(store)
    store.save_samples([COLOUR, SAMPLE])
    assert once == dump(store)


def test_loading_an_extracted_sample_again_keeps_its_graph(store: Store) -> None:
    load(store)
    once = dump(store)
    store.save_samples([SAMPLE])
    assert once == dump(store)


def test_a_sample_that_reads_differently_loses_its_graph(store: Store) -> None:
    load(store)
    changed = replace(SAMPLE, question="What animal is it?")
    store.save_samples([changed])
    assert [changed] == store.samples(ids=[SAMPLE.id])
    assert store.graphs([SAMPLE.id]) == {}
    assert store.questions(samples=[SAMPLE.id]) == []
    assert store.sample_status([SAMPLE.id]) == {SAMPLE.id: SampleStatus("loaded")}


def test_a_sample_with_evolved_questions_cannot_change(store: Store) -> None:
    load(store)
    store.save_questions([family()])
    once = dump(store)
    with pytest.raises(InputError, match="the questions of run 'first' rest on the earlier version"):
        store.save_samples([replace(SAMPLE, answer="zebra")])
    assert once == dump(store)


def test_a_sample_that_was_loaded_with_line_breaks_is_the_same_on_one_line(store: Store) -> None:
    load(store)
    store.save_samples([replace(COLOUR, question="What\ncolour\0is it?", answers=("light\u202e brown", "tan"))])
    once = dump(store)
    store.save_samples([replace(COLOUR, question="What colour is it?", answers=("light brown", "tan"))])
    assert once == dump(store)
    store.save_samples([replace(COLOUR, question="What colour is that?", answers=("light brown", "tan"))])
    assert once != dump(store)


def test_status_tells_the_reason_of_a_drop(store: Store) -> None:
    store.save_samples([SAMPLE, COLOUR])
    store.save_graphs([Drop(SAMPLE.id, "no visual triplet", "nothing is seen")], [])
    assert store.sample_status() == {
        SAMPLE.id: SampleStatus("dropped", "no visual triplet", "nothing is seen"),
        COLOUR.id: SampleStatus("loaded"),
    }
