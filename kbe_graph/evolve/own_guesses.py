"""What guessing the questions of a run is worth at its end, for its manifest: quick, without the raw questions."""

from collections.abc import Iterator
from heapq import nsmallest
from typing import Any

from kbe_graph.evolve.batches import sample_ids
from kbe_graph.evolve.plan import Plan
from kbe_graph.extras import has_extra
from kbe_graph.guess.figures import guess
from kbe_graph.guess.guessers import PARTS
from kbe_graph.guess.riddle import Riddle, riddle_of
from kbe_graph.seeds import seed_of
from kbe_graph.store import Store

GUESSED_FROM = 500  # samples: of fewer the shares say little
MOST = 2_000  # questions of a hop that are guessed at, drawn alike each time: the time grows with their square


def own_guesses(store: Store, plan: Plan) -> dict[str, Any]:
    """Return the share of right guesses by row and guesser; nothing is guessed of a small run.

    Guesses by the nearest question are left out without scikit-learn, which a warning says.
    """
    samples = len(sample_ids(store, plan.scope))
    size = {"samples": samples, "guessed from": GUESSED_FROM}
    if samples < GUESSED_FROM:
        return size
    guessers = (*PARTS, "nearest") if has_extra("guess") else tuple(PARTS)
    rows = guess(_riddles(store, plan), guessers=guessers).rows
    shares = {row.row: {name: figure.share for name, figure in row.guessers.items()} for row in rows}
    return size | {"shares": shares}


def _riddles(store: Store, plan: Plan) -> Iterator[Riddle]:
    for hop in range(plan.scope.hops + 1):
        every = store.question_samples(run=plan.run.name, hop=hop)
        drawn = nsmallest(MOST, every, key=lambda sample: seed_of("guess", sample, hop))
        samples = {sample.id: sample for sample in store.samples(ids=drawn)}
        questions = store.questions(run=plan.run.name, hop=hop, samples=drawn)
        yield from (riddle_of(samples[question.sample], question) for question in questions)
