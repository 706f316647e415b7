from dataclasses import replace

import pytest
from filter_cases import walk

from kbe_graph.checks.answer_type import AnswerType, refused_type
from kbe_graph.checks.row import Row
from kbe_graph.checks.row import candidate as candidate_of
from kbe_graph.senses.sense import link


@pytest.mark.parametrize(
    ("question", "answer", "kind"),
    [
        ("What brand is the black laptop?", "acer", "brand"),
        ("What's the model of the motorcycle on the right?", "harley", "brand"),
        ("Can you guess the train model shown in this picture?", "passenger", "brand"),
        ("What make of truck is this?", "chevrolet", "brand"),
        ("What company is this plane flying for?", "oneworld", "company"),
        ("The ads are for which company?", "gucci", "company"),
        ("Who makes the motorcycle pictured in the corner?", "honda", "company"),
        ("What is the name of the airline of the pictured airplane?", "air canada", "company"),
        ("What team is number 51 from?", "giants", "team"),
        ("The batter here plays for what professional team?", "mets", "team"),
        ("Who invented this vehicle?", "wright brothers", "personal name"),
        ("Who is a famous for this sport?", "tony hawk", "personal name"),
        ("Who is credited with inventing this item?", "steve jobs", "personal name"),
        ("Name one famous person whom also has a black and white one of these?", "taylor swift", "personal name"),
        ("How many players form a team in this sport?", "11", "number"),
        ("How old are the boys?", "5", "number"),
        ("What is the outside temperature?", "hot", "number"),
        ("In what year was this mode of transportation created?", "1804", "number"),
        ("When would you want this drink?", "morning", "time"),
        ("What time of year is it?", "fall", "time"),
        ("Should onion rings be served with sauerkraut dogs hamburgers or both?", "both", "yes or no"),
    ],
)
def test_what_names_counts_dates_or_agrees_is_refused(question, answer, kind):
    assert refused_type(question, answer) == kind


@pytest.mark.parametrize(
    ("question", "answer", "relation", "object_", "kind"),
    [
        ("What brand is this phone?", "nokia", "founding year", "1865", "brand"),
        ("Who invented this item?", "samuel fox", "year of birth", "1815", "personal name"),
    ],
)
def test_a_firm_or_an_inventor_is_asked_on_from_where_facts_are_known(question, answer, relation, object_, kind):
    candidate = candidate_of(Row(question, answer, answer, relation, object_), walk())
    assert AnswerType().decide(candidate).detail == kind
    linked = replace(candidate, question=replace(candidate.question, concept=link(question, answer).concept))
    assert AnswerType().decide(linked).keep


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What breed is this dog?", "husky"),
        ("What is the name of the bird in this picture?", "eagle"),
        ("What position is this team member playing?", "pitcher"),
        ("What ingredient is missing from the picture to make a pb and j sandwich?", "jelly"),
        ("What makes the sky that color?", "sunset"),
        ("Which meal of the day is this?", "breakfast"),
        ("When you bend your knees as this man is doing you are performing an exercise called a what?", "squat"),
        ("Who uses this device?", "firemen"),
        ("What does this store sell?", "jewelry"),
    ],
)
def test_what_asks_for_a_thing_is_let_through(question, answer):
    assert refused_type(question, answer) == ""
