"""What is forgotten leaves nothing behind, and takes nothing of others with it."""

from dataclasses import replace

from specimens import COLOUR, RUN, SAMPLE, dump, family, giraffe_graph, load, raw

from kbe_graph.store import Store
from kbe_graph.types import Guess


def test_a_run_that_is_forgotten_leaves_the_graph_as_it_was(store: Store) -> None:
    load(store)
    store.save_questions([family()])
    before = dump(store)
    store.save_run(replace(RUN, name="second"))
    store.save_questions([family("second", "Elsewhere")])
    assert dump(store) != before
    store.save_guesses(
        "second", [(question, [Guess("?", "a", "b", right=False)]) for question in store.questions(run="raw")]
    )
    assert store.forget_run("second") == 1
    assert dump(store) == before


def test_guesses_at_a_raw_question_go_with_the_graph_that_it_is_of(store: Store) -> None:
    load(store)
    store.save_guesses(
        "first", [(question, [Guess("?", "a", "b", right=False)]) for question in store.questions(run="raw")]
    )
    graph = replace(giraffe_graph(), textual=())
    store.save_graphs([graph], [raw(SAMPLE, graph)])
    assert [guess.sample for guess in store.guesses()] == [COLOUR.id]


def test_samples_that_are_forgotten_leave_the_others(store: Store) -> None:
    load(store)
    store.save_questions([family()])
    store.save_guesses(
        "first", [(question, [Guess("?", "a", "b", right=False)]) for question in store.questions(run="raw")]
    )
    assert store.runs_of([SAMPLE.id]) == {"first"}
    assert store.forget_samples([SAMPLE.id]) == 2
    assert [sample.id for sample in store.samples()] == [COLOUR.id]
    assert not store.status_counts("first")
    assert not store.candidates()
    assert [guess.sample for guess in store.guesses()] == [COLOUR.id]
    assert store.forget_samples([COLOUR.id]) == 1
    store.forget_run("first")
    assert not store.query_text("MATCH (n) WHERE NOT n:Schema RETURN n").rows
