from filter_cases import BORDER, decide, walk

from kbe_graph.checks.family import Family
from kbe_graph.checks.thresholds import FilterSettings


def test_a_family_that_the_chain_has_used_is_refused():
    assert decide(Family(walk(), FilterSettings()), BORDER).detail == "a relation of 'border' is in the chain"


def test_the_settings_let_a_family_repeat():
    assert decide(Family(walk(), FilterSettings(shared_families=("border",))), BORDER).keep


def test_another_family_is_kept():
    assert decide(Family(walk(), FilterSettings()), BORDER._replace(relation="capital", object="London")).keep


def test_relations_that_the_pack_does_not_know_have_no_family():
    row = BORDER._replace(path="Ireland > seen with > United Kingdom", relation="twinned with")
    assert decide(Family(walk(), FilterSettings()), row).keep
