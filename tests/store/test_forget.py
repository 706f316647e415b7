"""What is forgotten leaves nothing behind, and takes nothing of others with it."""

from specimens import COLOUR, SAMPLE, family, load

from kbe_graph.store import Store
from kbe_graph.types import Guess


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
