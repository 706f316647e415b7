"""The story of a sample: where there is no question to tell, it says why, and what to do."""

from dataclasses import replace
from pathlib import Path

from specimens import family

from kbe_graph.export.jsonl import key_record
from kbe_graph.show.sample_story import SampleStory
from kbe_graph.store import SampleStatus
from kbe_graph.types import Question, Sample

SAMPLE = Sample("b/val/1", "b", "val", "What is this?", "dog", image="/a/folder/of/pictures/of/a/benchmark/1.jpg")


def told_by(state: SampleStatus | None) -> str:
    return "\n".join(" ".join((*line.cells, line.text)) for line in SampleStory(SAMPLE, (), (), state).lines())


def test_a_sample_without_questions_says_why() -> None:
    for state, words in [
        (SampleStatus("dropped", "no visual triplet", "no file names it"), "no visual triplet: no file names it"),
        (SampleStatus("loaded"), "no graph yet; run 'kbe extract'"),
        (SampleStatus("extracted"), "not in any run yet; run 'kbe evolve'"),
    ]:
        text = told_by(state)
        assert words in text
        assert "question What is this?" in text
        assert ("an annotation of the image must show something" in text) == (state.status == "dropped")
        assert words in SampleStory(SAMPLE, (), (), state)._repr_html_().replace("&#39;", "'")


def test_an_unsourced_fact_is_told_as_one() -> None:
    question = family().question
    seen, fact = question.key
    unsourced = replace(question, key=(seen, replace(fact, source="unsourced")))
    assert "GIRAFFIDAE) from pack, 7: said" in str(SampleStory(SAMPLE, (question,)))
    assert "GIRAFFIDAE) unsourced, 7: said" in str(SampleStory(SAMPLE, (unsourced,)))
    assert key_record(unsourced.key[-1])["source"] == "unsourced"


def test_a_line_of_its_own_is_nothing_that_a_sample_can_have() -> None:
    sample = Sample("b/val/1", "b", "val", "What\nis this?", "dog", image="1.jpg\n  hop 1    forged")
    lines = str(SampleStory(sample, (), (Path("x\ny.jpg"),))).split("\n")
    assert [line[:10] for line in lines] == ["b/val/1", "  picture ", "  question", "          "]


def test_an_answer_without_a_concept_is_told_with_its_senses() -> None:
    raw = Question("q", "b/val/1", "", 0, "raw", "What make of car is this?", "mustang", ())
    dropped = replace(
        raw, id="r", run="rules", hop=1, kind="explored", text="", answer="", status="dropped", reason="no concept"
    )
    text = " ".join(str(SampleStory(replace(SAMPLE, answer="mustang"), (raw, dropped))).split())
    assert "WordNet has 'mustang' as: small hardy range horse" in text
