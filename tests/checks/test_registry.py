from dataclasses import replace

import pytest
from filter_cases import case

from kbe_graph.checks import FilterSettings, Scheme, build_checks, explanations
from kbe_graph.checks.check import Row
from kbe_graph.checks.fact import grounding_checks
from kbe_graph.checks.guessable import FEW, Guessable
from kbe_graph.errors import ConfigError
from kbe_graph.facts.grounding import Grounding, ProposedFact
from kbe_graph.facts.pack import pack
from kbe_graph.types import Decision

ENTRIES = explanations()
STRICT = build_checks(pack(), scheme=Scheme(demand="require"))
SHOWN = [check for check in STRICT.all if check.name not in {"contradicted", "unsupported", "blocked relation"}]


def test_each_example_is_refused_by_its_own_check_and_the_other_passed():
    for check in SHOWN:
        assert check.decide(case(check.refused)).reason == check.name
        assert check.decide(case(check.passed)).keep, check.name
    crowd = Guessable(FilterSettings()).decide([case(Guessable.refused)] * FEW)
    assert {decision.reason for decision in crowd if not decision.keep} == {"guessable"}


@pytest.mark.parametrize("check", grounding_checks("require"), ids=lambda check: check.name)
def test_each_example_of_a_proposed_fact_is_told_by_the_known_ones(check):
    def proposed(row):
        fact = ProposedFact("", row.subject, row.relation, "", row.object, "model")
        return replace(case(row), fact=Grounding(pack()).label(fact))

    assert check.decide(proposed(check.refused)).reason == check.name
    assert check.decide(proposed(check.passed)).keep


def test_a_run_has_each_check_that_is_explained_once():
    names = [check.name for check in STRICT.all]
    assert len(set(names)) == len(names)
    assert set(names) <= {entry.name for entry in ENTRIES}


def test_a_check_from_outside_is_asked_last_and_decides():
    class NoGiraffe:
        name, stage, reads, rule = "giraffe", "fact", "fact", "no giraffe"
        refused, passed = Row("What animal is this?", "giraffe"), Row("What animal is this?", "cow")

        def __init__(self, facts, settings):
            assert facts is pack()
            assert settings == FilterSettings()

        def decide(self, candidate):
            return Decision(candidate.question.answer != "giraffe", self.name)

    checks = build_checks(pack(), further=[NoGiraffe])
    row = Row("What animal is this?", "giraffe", "giraffe", "taxonomic family", "Giraffidae")
    assert checks.by_reads["fact"][-1].name == "giraffe"
    assert checks.decide("fact", case(row)).reason == "giraffe"
    assert build_checks(pack()).decide("fact", case(row)).keep


def test_a_setting_that_makes_no_sense_is_refused() -> None:
    for name, value in [
        ("chain_share", 0),
        ("others_same", 1.5),
        ("others_common", -1),
        ("shared_families", "taxonomy"),
    ]:
        with pytest.raises(ConfigError, match=f"filter setting '{name}' is {value!r}"):
            FilterSettings(**{name: value})
