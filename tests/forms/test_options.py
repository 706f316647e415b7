"""Options: in another order, and as they are asked."""

from dataclasses import replace

from form_cases import case_of

from kbe_graph.forms.form_case import FormCase
from kbe_graph.forms.multiple_choice import Balance, SoundOptions, choice_of, shuffled
from kbe_graph.types import Alternative, Sample

CHOICES = ("ball", "frisbee", "a", "fishing rod")
SAMPLE = Sample("own/val/1", "own", "val", "What is the dog trying to catch?", "frisbee", choices=CHOICES)


def test_the_order_is_another_one_for_every_sample_and_always_the_same() -> None:
    samples = [replace(SAMPLE, id=f"own/val/{number}", choices=("x", "y")) for number in range(20)]
    assert {shuffled(sample) for sample in samples} == {("y", "x")}
    orders = {shuffled(replace(sample, choices=CHOICES)) for sample in samples}
    assert CHOICES not in orders
    assert len(orders) > 5
    assert shuffled(SAMPLE) == shuffled(replace(SAMPLE, question="Which?"))
    assert sorted(shuffled(SAMPLE)) == sorted(CHOICES)


ALTERNATIVES = tuple(
    Alternative(*names)
    for names in (
        ("JAPAN", "TOKYO"),
        ("ITALY", "Milan"),  # the picture shows it
        ("VATICAN", "rome"),  # the answer
        ("LATIUM", "Roma"),  # another name of it
        ("NIPPON", "Tokyo"),
        ("PERU", "Lima"),
        ("ATLANTIS", ""),
        ("KENYA", "Nairobi"),
        ("CUBA", "Havana"),
    )
)


def told_case(alternatives: tuple[Alternative, ...]) -> FormCase:
    """Return a question whose fact no source tells."""
    case = case_of("Italy")
    fact = replace(case.question.key[-1], relation="is led from", source="model", source_ref="")
    question = replace(case.question, key=(*case.question.key[:-1], fact))
    return replace(case, question=question, alternatives=alternatives)


def test_the_answers_of_other_things_that_the_picture_could_have_shown_are_its_wrong_options() -> None:
    case = told_case(ALTERNATIVES)
    form = choice_of(case, SoundOptions(case.walk), Balance())
    wrong = {"Tokyo", "Lima", "Nairobi", "Havana"}
    assert form.answers == ("Rome",)
    assert len(form.options) == 4
    assert set(form.options) - {"Rome"} < wrong
    facts = dict(zip(form.options, form.facts, strict=True))
    assert facts["Rome"] == "ITALY | is led from | Rome | model"
    roots = {"Tokyo": "JAPAN", "Lima": "PERU", "Nairobi": "KENYA", "Havana": "CUBA"}
    for option in form.options:
        assert option == "Rome" or facts[option] == f"{roots[option]} | is led from | {option} | alternative"
