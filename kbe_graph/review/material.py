"""All that is stored of questions and bears on their review: verdicts of models, guesses, answers and decisions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kbe_graph.store import Store
from kbe_graph.store.nodes import StoredCandidate, StoredGuess, StoredInspection
from kbe_graph.types import RAW, Alternative, Prediction, Question, Review, Sample


class ReviewMaterial(NamedTuple):
    """Questions, and what models, checks and people said of them.

    ``samples`` are by id, ``alternatives`` by question; ``candidates`` are those that became questions.
    """

    questions: Sequence[Question]
    samples: Mapping[str, Sample]
    reviews: Sequence[Review] = ()
    inspections: Sequence[StoredInspection] = ()
    guesses: Sequence[StoredGuess] = ()
    candidates: Sequence[StoredCandidate] = ()
    alternatives: Mapping[str, Sequence[Alternative]] = {}
    predictions: Sequence[Prediction] = ()


def read_material(store: Store, run: str | None, reviews: Iterable[Review] = ()) -> ReviewMaterial:
    """Read what is stored of a run's questions, dropped ones included, or of all questions where ``run`` is None.

    The guesses and answers at the raw questions of their samples are among it.
    """
    questions = store.questions(run=run, status=None)
    ids = {question.id for question in questions}
    runs = sorted({RAW, *(question.run for question in questions)})
    return ReviewMaterial(
        questions,
        {sample.id: sample for sample in store.samples()},
        [review for review in reviews if review.question in ids],
        store.inspections(run=run),
        store.guesses(run=None if run == RAW else run),
        store.candidates(run=run, status="kept"),
        store.alternatives(sorted(ids)),
        [prediction for name in runs for prediction in store.predictions(run=name)],
    )


def standing_reviews(reviews: Iterable[Review]) -> list[Review]:
    """Return the last decision of each reviewer on each question that was not taken back, by question and reviewer."""
    stacks: dict[tuple[str, str], list[Review]] = {}
    for review in sorted(reviews, key=lambda review: int(review.id.rpartition("|")[2])):
        stack = stacks.setdefault((review.question, review.reviewer), [])
        if review.verdict != "undo":
            stack.append(review)
        elif stack:
            stack.pop()
    return [stacks[place][-1] for place in sorted(stacks) if stacks[place]]
