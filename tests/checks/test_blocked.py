"""Relations that the settings block: refused whoever tells the fact, and whichever checks a run asks."""

from dataclasses import replace

import pytest
from filter_cases import case, decide

from kbe_graph.checks import FilterSettings, Scheme, build_checks, choose_checks
from kbe_graph.checks.fact import Blocked
from kbe_graph.errors import ConfigError
from kbe_graph.evolve.plan import plan_run
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.facts.pack import pack

SETTINGS = FilterSettings(blocked_relations=("young", "the Largest City"))
YOUNG = Blocked.refused


def test_a_fact_of_a_blocked_relation_is_refused() -> None:
    for relation in ["young", "Young", "largest city"]:
        assert decide(Blocked(SETTINGS), YOUNG._replace(relation=relation)).reason == "blocked relation"


def test_a_fact_of_another_relation_is_kept() -> None:
    for relation in ["habitat", "has young", "younger", "city"]:
        assert decide(Blocked(SETTINGS), YOUNG._replace(relation=relation)).keep


def test_nothing_is_blocked_by_default():
    assert decide(Blocked(FilterSettings()), YOUNG).keep


@pytest.mark.parametrize("filters", ["all", "paper", "cycle"])
@pytest.mark.parametrize("facts_known", [True, False])
def test_it_holds_with_any_choice_of_checks_and_for_facts_that_a_model_proposes(filters, facts_known):
    fact = ProposedFact("", "giraffe", "young", "", "calf", "model")
    proposed = case(YOUNG) if facts_known else replace(case(YOUNG), fact=fact)
    scheme = Scheme(facts_known=facts_known, choice=choose_checks(filters, facts_known=facts_known))
    assert build_checks(pack(), SETTINGS, scheme).decide("fact", proposed).reason == "blocked relation"


def test_a_runs_settings_tell_the_list_and_are_as_before_without_one():
    plain, blocking = (dict(plan_run(RunOptions("r"), each).run.settings) for each in (FilterSettings(), SETTINGS))
    assert blocking == plain | {"blocked relations": "the Largest City, young"}


def test_a_list_that_is_none_of_names_is_refused() -> None:
    for value in ["young", [3], [["young"]]]:
        with pytest.raises(ConfigError, match=r"'blocked_relations' is .*; it must be a list of names"):
            FilterSettings(blocked_relations=value)
