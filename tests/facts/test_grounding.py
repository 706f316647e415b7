"""What known facts say of proposed ones."""

from functools import cache
from typing import Any

import pytest

from kbe_graph.checks.check import FilterSettings, first_refusal
from kbe_graph.checks.fact import grounding_checks
from kbe_graph.errors import ConfigError
from kbe_graph.evolve.plan import plan_run
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.facts.grounding import Grounding, ProposedFact
from kbe_graph.facts.pack import pack
from kbe_graph.models import ModelBook
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.types import IMAGE, Candidate, Entity, Question, Sample, SampleGraph, Triplet

SAMPLE = Sample("b/s/1", "b", "s", "What is this?", "japan")
KEY = (Triplet(IMAGE, "depicts", Entity("JAPAN")),)
QUESTION = Question("b/s/1@raw/0", "b/s/1", "raw", 0, "raw", "What is this?", "japan", KEY)


@cache
def grounding() -> Grounding:
    return Grounding(pack())


def proposed(subject: str, relation: str, thing: str, *, names: tuple[str, ...] = ()) -> ProposedFact:
    return ProposedFact(f"name:{subject}", subject, relation, f"name:{thing}", thing, "model x", aliases=names)


def test_no_facts_of_a_namesake_are_given() -> None:
    for name, thing, names, expected in [
        ("NAPLES", "street", ("NAPLES, FLORIDA",), ""),
        ("NAPLES", "street", ("NAPOLI", "NAPLES, ITALY"), "Naples"),
        ("LONDON", "street", ("LONDON (ENGLAND)",), "London"),  # by its description
        ("CRANE", "bird", ("CRANE (BIRD)",), "crane"),
        ("GEORGIA", "flag", (), ""),  # a country and a state
        ("GEORGIA", "state", (), "Georgia"),
        ("AMAZON", "bird", (), "amazon"),
        ("COBRA", "plane", (), ""),
        ("AIR FRANCE", "plane", (), "Air France"),
    ]:
        subjects = {fact.subject for fact in grounding().facts_of(name, thing, names)}
        assert subjects == set(filter(None, [expected])), (name, thing, names)


def test_facts_are_labelled_by_subject_relation_and_object() -> None:
    for subject, relation, thing, expected in [
        ("japan", "has capital", "TOKYO", "grounded"),
        ("Japan", "capital city", "Tokyo", "grounded"),
        ("japan", "has capital", "KYOTO", "contradicted"),
        ("cow", "young is called", "CALF", "grounded"),
        ("cow", "young is called", "CALVES", "grounded"),
        ("cow", "young is called", "FOAL", "contradicted"),
        ("giraffe", "lives in", "SAVANNA", "grounded"),
        ("tennis", "is played with", "RACKET", "grounded"),
        ("japan", "has national anthem sung at", "STADIUM", "unsupported"),
        ("florbington", "has capital", "TOKYO", "unsupported"),
        ("cow", "eats", "CALF", "unsupported"),
        ("candle", "is made of", "WOOD", "contradicted"),
        ("candle", "is made by", "CHANDLER", "unsupported"),
        ("shoes", "are worn on", "HEAD", "contradicted"),
        ("shoes", "are worn over", "SOCKS", "unsupported"),
        ("shoes", "are worn below", "ANKLE", "unsupported"),
        ("skateboard", "was invented in", "FRANCE", "contradicted"),
        ("skateboard", "was invented in", "CALIFORNIA", "unsupported"),
        ("japan", "has continent", "AFRICA", "contradicted"),
        ("japan", "has mountain on island", "ASIA", "unsupported"),
    ]:
        assert grounding().label(proposed(subject, relation, thing)).grounding == expected, (
            subject,
            relation,
            thing,
            expected,
        )


def test_a_grounded_fact_may_be_known_by_another_name_and_takes_the_known_concept() -> None:
    assert grounding().label(proposed("japan", "has capital", "EDO", names=("Tokyo",))).grounding == "grounded"
    fact = grounding().label(proposed("japan", "has capital", "TOKYO"))
    assert fact.object_id in {
        one.object_id for one in pack().facts if (one.subject, one.relation) == ("Japan", "capital")
    }


def test_what_is_demanded_decides_which_labels_are_kept() -> None:
    for demand, kept in [
        ("require", {"grounded"}),
        ("prefer", {"grounded", "unsupported"}),
        ("report", {"grounded", "unsupported", "contradicted"}),
    ]:
        facts = [grounding().label(proposed("japan", "has capital", thing)) for thing in ("TOKYO", "KYOTO")]
        facts.append(grounding().label(proposed("florbington", "has capital", "TOKYO")))
        graph = SampleGraph("b/s/1", KEY, (), KEY)
        checks = grounding_checks(demand)
        decisions = {fact.grounding: first_refusal(checks, Candidate(SAMPLE, graph, QUESTION, fact)) for fact in facts}
        assert {label for label, decision in decisions.items() if decision.keep} == kept, (demand, kept)
        assert all((decision.keep or decision.reason == label for label, decision in decisions.items())), (demand, kept)


def shared(section: dict[str, Any], **model: Any) -> str:
    options = ModelOptions(mode="paper", blind="off", **model)
    return plan_run(RunOptions(), FilterSettings(), options, book=ModelBook(section, environ={})).families["shared"]


def test_models_of_one_family_are_named_and_refused_where_independence_is_wanted() -> None:
    section = {"model": "gpt-4o", "key": "k", "judge": {"model": "qwen2.5-vl-72b"}}
    assert shared(section) == "generator and verifier are of one family (gpt)"
    with pytest.raises(ConfigError, match=r"models\.verify"):
        shared(section, independent=True)
    section |= {"verify": {"model": "claude-x"}}
    assert shared(section, verify=True, independent=True) == "none"


def test_rules_word_english_alone() -> None:
    with pytest.raises(ConfigError, match="only in English"):
        plan_run(RunOptions(wording="rule"), FilterSettings(), ModelOptions(language="German"))
