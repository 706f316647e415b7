"""What is left to do in a run: what the graph does not hold, and what dropped for a reason that may have passed."""

from kbe_graph.steps.asker import is_technical
from kbe_graph.store import Store


def done_samples(store: Store, run: str, hop: int) -> set[str]:
    """Return the samples whose question of a hop is made or dropped for good.

    A hop that dropped because a reply could not be used, or a picture was not there, is tried again by the same
    command.
    """
    dropped = store.questions(run=run, hop=hop, status="dropped")
    again = {question.sample for question in dropped if is_technical(question.reason)}
    return set(store.question_samples(run=run, hop=hop, status=None)) - again
