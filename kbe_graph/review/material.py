"""All stored results that bear on the review of questions: verdicts of models, guesses, predictions and decisions."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kbe_graph.review.reviewed_items import read_items
from kbe_graph.review.state import QuestionState, question_states
from kbe_graph.store import Store
from kbe_graph.store.nodes import StoredCandidate, StoredGuess, StoredInspection
from kbe_graph.types import RAW, Alternative, Prediction, Question, Review, Sample


class ReviewMaterial(NamedTuple):
    """Questions, with the stored results of models, checks and reviewers.

    ``samples`` are by id, ``states`` and ``alternatives`` by question. ``reviews`` are all decisions; ``states`` say
    which of them count. ``candidates`` are those that became questions.
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
        """The decisions that count, one per reviewer and question."""
        return [review for state in self.states.values() for review in state.counted]

    @property
    def wordings(self) -> dict[str, tuple[str, str]]:
        """The current text and answer of each question; results on an earlier wording do not count."""
        return {question.id: (question.text, question.answer) for question in self.questions}

    @property
    def originals(self) -> "ReviewMaterial":
        """The material without the versions that reviewers wrote."""
        questions = [question for question in self.questions if question.status != "revised"]
        states = {question.id: self.states[question.id] for question in questions if question.id in self.states}
        return self._replace(questions=questions, states=states)


def read_material(
    store: Store,
    run: str | None = None,
    states: Mapping[str, QuestionState] | None = None,
    *,
    benchmark: str | None = None,
) -> ReviewMaterial:
    """Read the results on a run's questions, or on the raw ones if no run is given, optionally of one ``benchmark``.

    ``states`` are the states by question, if already known. Raises InputError for a benchmark that was not loaded.
    """
    run = None if run == RAW else run
    items = read_items(store, run=run, benchmark=benchmark)
    questions = [item.question for item in items]
    reviews = store.reviews(run=run or RAW)
    return ReviewMaterial(
        questions,
        {sample.id: sample for sample in store.samples(benchmark=benchmark)},
        reviews,
        question_states(items, reviews) if states is None else states,
        store.inspections(run=run or RAW),
        store.guesses(run=run),
        store.candidates(run=run or RAW, status="kept"),
        store.alternatives([question.id for question in questions]),
        store.predictions(run=run or RAW),
    )
