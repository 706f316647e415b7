"""What is forgotten leaves nothing behind, and takes nothing of others with it."""

from specimens import COLOUR, SAMPLE

from kbe_graph.store import Store
from kbe_graph.types import Guess


def test_samples_that_are_forgotten_leave_the_others(full: Store) -> None:
    full.save_guesses(
        "first", [(question, [Guess("?", "a", "b", right=False)]) for question in full.questions(run="raw")]
    )
    assert full.runs_of([SAMPLE.id]) == {"first"}
    assert full.forget_samples([SAMPLE.id]) == 2
    assert [sample.id for sample in full.samples()] == [COLOUR.id]
    assert not full.status_counts("first")
    assert not full.candidates()
    assert [guess.sample for guess in full.guesses()] == [COLOUR.id]
    assert full.forget_samples([COLOUR.id]) == 1
    full.forget_run("first")
    assert not full.query_text("MATCH (n) WHERE NOT n:Schema RETURN n").rows
