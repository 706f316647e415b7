"""All that is stored of questions and bears on their review: verdicts of models, guesses, answers and decisions."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kbe_graph.review.state import QuestionState
from kbe_graph.store import Store
from kbe_graph.store.nodes import StoredCandidate, StoredGuess, StoredInspection
from kbe_graph.types import RAW, Alternative, Prediction, Question, Review, Sample


class ReviewMaterial(NamedTuple):
    """Questions, and what models, checks and people said of them.

    ``samples`` are by id, ``states`` and ``alternatives`` by question; ``reviews`` are all decisions, and ``states``
    tell which of them count; ``candidates`` are those that became questions.
    """

    questions: Sequence[Question]
    samples: Mapping[str, Sample]
    reviews: Sequence[Review] = ()
    states: Mapping[str, QuestionState] = {}
    inspections: Sequence[StoredInspection] = ()
    guesses: Sequence[StoredGuess] = ()
    candidates: Sequence[StoredCandidate] = ()
    alternatives: Mapping[str, Sequence[Alternative]] = {}
    predictions: Sequence[Prediction] = ()

    @property
    def counted(self) -> list[Review]:
        """The decisions that count, one a reviewer and question."""
        return [review for state in self.states.values() for review in state.counted]

    @property
    def wordings(self) -> dict[str, tuple[str, str]]:
        """The text and the answer of each question: what was said of an earlier wording does not count."""
        return {question.id: (question.text, question.answer) for question in self.questions}


def read_material(store: Store, run: str | None, states: Mapping[str, QuestionState]) -> ReviewMaterial:
    """Read what is stored of a run's questions, dropped ones included, or of all questions where ``run`` is None.

    The guesses and answers at the raw questions of their samples are among it. ``states`` are by question.
    """
    questions = store.questions(run=run, status=None)
    runs = sorted({RAW, *(question.run for question in questions)})
    ids = {question.id for question in questions}
    return ReviewMaterial(
        questions,
        {sample.id: sample for sample in store.samples()},
        store.reviews(run=run),
        {id_: state for id_, state in states.items() if id_ in ids},
        store.inspections(run=run),
        store.guesses(run=None if run == RAW else run),
        store.candidates(run=run, status="kept"),
        store.alternatives(sorted(ids)),
        [prediction for name in runs for prediction in store.predictions(run=name)],
    )
