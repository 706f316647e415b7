"""All that is stored of questions and bears on their review: verdicts of models, guesses, answers and decisions."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kbe_graph.review.reviewed_items import read_items
from kbe_graph.review.state import QuestionState, question_states
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

    @property
    def originals(self) -> "ReviewMaterial":
        """The same without the versions that reviewers wrote."""
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
    """Read what is stored of the questions of a run, or without one of the raw ones; ``benchmark`` narrows them.

    ``states`` are by question, where they are known already. Raises InputError for a benchmark that was not loaded.
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
