"""Questions in other forms, in the graph, on every engine."""

import pytest
from specimens import SAMPLE

from kbe_graph.store import Store
from kbe_graph.types import RAW, QuestionForm, question_id

EVOLVED, OWN = question_id(SAMPLE.id, "first", 1), question_id(SAMPLE.id, RAW, 0)
CHOICE = QuestionForm(EVOLVED, "choice", "Which?", ("Giraffidae", "Bovidae ‘cow’"), ("Giraffidae",))
FILL = QuestionForm(OWN, "fill", "This is ____.", (), ("giraffe", "Giraffe"), "model m")


@pytest.fixture
def full(full: Store) -> Store:
    full.save_forms([CHOICE, FILL])
    return full


def test_forms_come_back_as_they_were(full: Store) -> None:
    assert full.forms(run="first") == [CHOICE]
    assert full.forms(run=RAW, form="fill") == [FILL]
    assert full.forms(run=RAW, form="choice") == []


def test_forms_go_with_their_question_or_when_told(full: Store) -> None:
    full.forget_forms(run=RAW, form="choice")
    assert full.forms(run=RAW) == [FILL]
    full.forget_run("first")
    assert full.forms(run="first") == []
    full.forget_samples([SAMPLE.id])
    assert full.query_text("MATCH (f:Form) RETURN count(f)").rows == ((0,),)
