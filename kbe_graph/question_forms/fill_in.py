"""Fill in: the question as a statement with a gap (MDK12, question types)."""

from kbe_graph.question_forms.form_case import FormCase
from kbe_graph.question_forms.statement_frame import Framer
from kbe_graph.types import QuestionForm


def fill_of(case: FormCase, statement: Framer) -> QuestionForm:
    """Return a question as a statement with a gap, and what fills it; raises NoCandidate where it is none."""
    text = f"Fill in the gap: {statement(case).gapped(case.question.answer)}"
    return QuestionForm(case.question.id, "fill", text, (), case.names)
