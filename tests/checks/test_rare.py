import pytest
from filter_cases import decide

from kbe_graph.checks.rare import Rare
from kbe_graph.checks.row import Row
from kbe_graph.checks.thresholds import FilterSettings


def fact(subject, relation, object_):
    return Row("What is this?", subject, subject, relation, object_)


@pytest.mark.parametrize(
    ("subject", "object_"), [("hare", "leveret"), ("eel", "elver"), ("hawk", "eyas"), ("wine", "oenology")]
)
def test_words_that_hardly_anyone_has_met_are_refused(subject, object_):
    assert decide(Rare(FilterSettings()), fact(subject, "young", object_)).reason == "rare"


@pytest.mark.parametrize(
    ("subject", "object_"),
    [("swan", "cygnet"), ("horse", "foal"), ("elephant", "calf"), ("tennis", "racket"), ("badminton", "shuttlecock")],
)
def test_words_in_use_are_kept(subject, object_):
    assert decide(Rare(FilterSettings()), fact(subject, "young", object_)).keep


@pytest.mark.parametrize(
    ("subject", "relation", "object_"),
    [
        ("giraffe", "taxonomic family", "Giraffidae"),
        ("silver", "chemical symbol", "Ag"),
        ("Kenya", "capital", "Nairobi"),
        ("Burkina Faso", "capital", "Ouagadougou"),
        ("Ethiopia", "official language", "Amharic"),
    ],
)
def test_names_are_let_through(subject, relation, object_):
    assert decide(Rare(FilterSettings(rare_rate=10**9)), fact(subject, relation, object_)).keep
