"""Questions in other forms: what the rules make, what they refuse and why, and what balances a run."""

from collections import Counter
from dataclasses import replace

import pytest
from form_cases import case_of, raw_case

from kbe_graph.facts.pack import pack
from kbe_graph.figures.guess import guess_options
from kbe_graph.forms.form_case import AnswerOption, FormCase, why_unsound
from kbe_graph.forms.form_maker import MadeForms, make_forms
from kbe_graph.forms.multiple_choice import OF_A_MODEL
from kbe_graph.types import Form, QuestionForm

COUNTRIES = ("Italy", "Peru", "Egypt", "Japan", "Kenya", "France", "Spain", "Norway", "Chile", "India", "Cuba", "Iran")


@pytest.fixture(scope="module")
def cases() -> list[FormCase]:
    return [case_of(name) for name in COUNTRIES]


@pytest.fixture(scope="module")
def choices(cases: list[FormCase]) -> MadeForms:
    return make_forms("choice", cases)


def made(form: Form, case: FormCase) -> QuestionForm | str:
    """Return a question in a form, or why it has none."""
    outcome = make_forms(form, [case])
    return outcome.forms[case.question.id] if outcome.forms else next(iter(outcome.refused))


# --- multiple choice


def test_each_question_has_its_answer_among_three_capitals_of_other_countries(
    cases: list[FormCase], choices: MadeForms
) -> None:
    capitals = {fact.object for fact in pack().facts if fact.relation == "capital"}
    assert set(choices.forms) == {case.question.id for case in cases}
    for form in choices.forms.values():
        assert (len(set(form.options)), len(form.answers)) == (4, 1)
        assert set(form.answers) < set(form.options) <= capitals


def test_the_right_place_is_balanced_and_guessing_by_it_or_by_the_options_pays_little(choices: MadeForms) -> None:
    assert choices.places == (3, 3, 3, 3)
    (row,) = guess_options(choices.forms.values())
    assert (row.maker, row.questions, row.chance) == ("rule", 12, 0.25)
    assert row.guessers["position"].share == 0.25
    assert row.guessers["commonest"].share <= 0.5


def test_the_same_questions_in_another_order_get_the_same_options(cases: list[FormCase], choices: MadeForms) -> None:
    assert make_forms("choice", cases[::-1]).forms == choices.forms


def test_an_option_that_may_be_right_is_refused_with_the_reason() -> None:
    for name, reason in [
        ("Rome", "accepted"),
        ("Eternal City", "accepted"),
        ("old Rome", "alike"),
        ("rivers", "number"),
        ("country", "named"),
        ("rose", "seen"),
        ("Cairo", ""),
    ]:
        assert why_unsound(AnswerOption(name), case_of("Italy")) == reason, (name, reason)


def test_the_benchmarks_own_options_are_kept_but_for_accepted_answers() -> None:
    case = raw_case("What is on the plate?", "cake", ("cake", "pie"), ("pie", "cake", "bread", "rice"))
    assert made("choice", case) == QuestionForm(
        case.question.id, "choice", "What is on the plate?", ("cake", "bread", "rice"), ("cake",), "benchmark"
    )
    assert make_forms("choice", [case]).accepted == 1


def test_the_right_choice_is_the_gold_option_where_most_people_gave_another_answer() -> None:
    case = raw_case("What is on the plate?", "cake", ("cake", "cake", "pie"), ("pie", "cake", "bread", "rice"))
    case = replace(case, sample=replace(case.sample, choice="pie"))
    form = made("choice", case)
    assert isinstance(form, QuestionForm)
    assert (form.options, form.answers) == (("pie", "bread", "rice"), ("pie",))


def test_a_raw_question_without_sound_options_is_refused_with_the_reason() -> None:
    for case, reason in [
        (raw_case("What animal is this?", "cat"), OF_A_MODEL),
        (raw_case("What animal is this?", "cat", choices=("dog", "cow", "pig", "fox")), "no choice is the answer"),
    ]:
        assert made("choice", case) == reason, (case, reason)


# --- fill in, true or false


def test_a_question_becomes_a_statement_with_a_gap() -> None:
    form = made("fill", raw_case("What animal is the man riding?", "horse"))
    assert isinstance(form, QuestionForm)
    assert form.text == "Fill in the gap: The animal that the man is riding is ____."
    assert form.answers[0] == "horse"


def test_half_of_the_statements_are_true_and_the_others_checked_to_be_false(cases: list[FormCase]) -> None:
    forms = make_forms("true-false", cases).forms
    assert Counter(form.answers for form in forms.values()) == {("true",): 6, ("false",): 6}
    for case in cases:
        form = forms[case.question.id]
        stated = form.text.removeprefix("True or false: The capital of the country shown here is ").rstrip(".")
        assert (stated == case.question.answer) == (form.answers == ("true",))


# --- choose all, and no other form
