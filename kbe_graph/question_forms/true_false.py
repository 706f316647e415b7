"""True or false: a statement with the right answer, or with one that was checked to be wrong (MDK12)."""

from kbe_graph.question_forms.alternative import Alternative
from kbe_graph.question_forms.balance import TRUTHS, Balance
from kbe_graph.question_forms.form_case import FormCase
from kbe_graph.question_forms.multiple_choice import OptionFinder
from kbe_graph.question_forms.statement_frame import Framer
from kbe_graph.types import QuestionForm


def true_false_of(case: FormCase, sound: OptionFinder, statement: Framer, balance: Balance) -> QuestionForm:
    """Return a question as a statement that is true or false, each for half of a row.

    Raises NoCandidate where the grammar allows no statement, or no wrong answer is sound: were such questions only ever
    true, what they have in common would tell.
    """
    frame, options = statement(case), sound(case)
    true = frame.stated(Alternative(case.question.answer, case.concept))
    (wrong,) = balance.draw(options, case.question.id)
    false = frame.stated(wrong)
    truth = TRUTHS[balance.place(case.row, len(TRUTHS), case.question.id)]
    text = f"True or false: {true if truth == 'true' else false}"
    return QuestionForm(case.question.id, "true-false", text, (), (truth,))
