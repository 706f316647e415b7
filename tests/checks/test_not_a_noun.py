from dataclasses import replace

from kbe_graph.checks.fact import Noun
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.types import Candidate, Fact, Question, Sample, SampleGraph


def _candidate(name: str, concept: str) -> Candidate:
    fact = Fact("wn30:02084071-n", "dog", "order", concept, name, "ncbi")
    sample = Sample("a/b/1", "a", "b", "What is it?", "dog")
    question = Question("a/b/1@r/0", "a/b/1", "r", 0, "raw", "What is it?", "dog", ())
    return Candidate(sample, SampleGraph.__new__(SampleGraph), question, fact)


def test_the_filter_reads_the_object_of_the_fact() -> None:
    for name, concept, keep in [
        ("Canidae", "ncbi:33554", True),
        ("11", "", False),
        ("11", "count:11", False),
        ("very big", "", False),
        ("wool", "", True),
    ]:
        assert Noun().decide(_candidate(name, concept)).keep == keep


def test_a_model_gives_a_word_no_concept_that_makes_it_a_noun() -> None:
    for name in ["dangerous", "quickly", "to swim", "two hundred", "deciduous", "very big"]:
        found = _candidate(name, f"name:{name}")
        fact = found.fact
        proposed = ProposedFact(fact.subject_id, fact.subject, fact.relation, fact.object_id, fact.object, "model m")
        assert Noun().decide(replace(found, fact=fact)).keep
        assert not Noun().decide(replace(found, fact=proposed)).keep


def _proposed(name: str, kind: str) -> Candidate:
    found = _candidate(name, "")
    fact = ProposedFact("", "dog", "has", f"name:{name}", name, "model m", type=kind)
    return replace(found, fact=fact)


def test_the_type_that_a_model_gives_tells_a_noun_or_a_title() -> None:
    for name, kind in [
        ("SILVER", "metal"),
        ("LAST", "tool"),
        ("QWERTY", "layout"),
        ("Three Gorges Dam", "dam"),
        ("COME TOGETHER", "song"),
        ("SNOW WHITE", "fairy tale"),
        ("FROZEN", "movie"),
    ]:
        assert Noun().decide(_proposed(name, kind)).keep


def test_a_type_makes_no_noun_of_a_quality_a_number_or_a_deed() -> None:
    for name, kind in [
        ("two", "number"),
        ("red", "color"),
        ("dangerous", "animal"),
        ("run", "action"),
        ("American", "nationality"),
        ("watch", "object"),
    ]:
        assert not Noun().decide(_proposed(name, kind)).keep
