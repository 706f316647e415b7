"""A question is built once as a value, and each face shows this value: terminal, notebook, explorer and report."""

import re
from dataclasses import replace

from specimens import family

from kbe_graph.show.question_story import JudgedAnswer, question_stories
from kbe_graph.show.sample_story import SampleStory
from kbe_graph.store.nodes import StoredGuess
from kbe_graph.types import Alternative, Question, Sample

HOP = family().question
RAW = replace(HOP, id="raw", kind="raw", run="raw", hop=0, text="What is it?", answer="giraffe", key=HOP.key[:1])
SAMPLE = Sample(HOP.sample, "b", "val", RAW.text, RAW.answer, image="1.jpg")


def answer(question: Question, model: str) -> JudgedAnswer:
    return JudgedAnswer(question.id, model, "image", 1, "a text", "right", "a judge")


def test_each_question_has_the_facts_and_words_that_it_adds() -> None:
    raw, hop = question_stories((RAW, HOP))
    assert (raw.row, hop.row) == ("raw", "hop 1")
    assert (raw.new, hop.new) == (HOP.key[:1], HOP.key[1:])
    assert raw.words == [("What is it?", False)]
    assert hop.words == [("What is", False), ("the taxonomic family of", True), ("it?", False)]
    assert str(hop.path) == "IMAGE -[depicts]-> GIRAFFE -[taxonomic family]-> GIRAFFIDAE"


def test_guesses_and_alternatives_stand_with_their_question() -> None:
    place = {"question": HOP.id, "run": HOP.run}
    guesses = [
        StoredGuess("Bad?", "no", "no", right=True, model="m", **place),
        StoredGuess(HOP.text, HOP.answer, "a cow", right=False, **place),
        StoredGuess(HOP.text, HOP.answer, "", right=False, **place),
    ]
    alternatives = (Alternative("OKAPI", "Giraffidae"), Alternative("HORSE", "Equidae"), Alternative("TABLE", ""))
    story = SampleStory(SAMPLE, (RAW, HOP), guesses=tuple(guesses), alternatives={HOP.id: alternatives})
    raw, hop = story.chain
    assert raw.notes == []
    assert hop.notes == [
        "named without the picture by m: Bad? no",
        "not named without the picture: a cow",
        "not named without the picture: no answer",
        "if the picture showed OKAPI: Giraffidae; HORSE: Equidae; TABLE: no answer",
    ]
    assert {line.text for line in story.lines()} >= set(hop.notes)
    assert not any("named without" in line.text for line in story.lines(brief=True))
    record = story.records()[1]
    assert record["guesses"][0] == {"text": "Bad?", "answer": "no", "guess": "no", "right": True, "model": "m"}
    assert record["alternatives"][2] == {"root": "TABLE", "answer": ""}
    assert "guesses" not in story.records()[0]


def test_terminal_and_notebook_show_the_same_chain() -> None:
    story = SampleStory(SAMPLE, (RAW, HOP))
    lines = [line.text for line in story.lines()]
    assert [line.text for line in story.lines() if line.cells == ("hop 1",)] == [HOP.text]
    html = re.sub(r"</?mark>", "", story._repr_html_())
    for piece in (RAW.text, HOP.text, HOP.answer):
        assert piece in html
        assert any(piece in line for line in lines)
