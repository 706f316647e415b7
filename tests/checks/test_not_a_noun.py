import pytest

from kbe_graph.checks.not_a_noun import Noun
from kbe_graph.types import Candidate, Fact, Question, Sample, SampleGraph


def _candidate(name: str, concept: str) -> Candidate:
    fact = Fact("wn30:02084071-n", "dog", "order", concept, name, "ncbi")
    sample = Sample("a/b/1", "a", "b", "What is it?", "dog")
    question = Question("a/b/1@r/0", "a/b/1", "r", 0, "raw", "What is it?", "dog", ())
    return Candidate(sample, SampleGraph.__new__(SampleGraph), question, fact)


@pytest.mark.parametrize(
    ("name", "concept", "keep"),
    [
        ("Carnivora", "ncbi:33554", True),
        ("11", "", False),
        ("11", "count:11", False),
        ("very big", "", False),
        ("wool", "", True),
    ],
)
def test_the_filter_reads_the_object_of_the_fact(name, concept, keep):
    assert Noun().decide(_candidate(name, concept)).keep == keep
