from dataclasses import replace

from filter_cases import case

from kbe_graph.checks.off_topic import OffTopic
from kbe_graph.checks.row import Row


def _asked_on(question: str, row) -> bool:
    candidate = case(row)
    parent = replace(candidate.question, kind="reselected", hop=0)
    return (
        OffTopic().decide(replace(candidate, question=parent, sample=replace(candidate.sample, question=question))).keep
    )


def test_what_the_raw_question_does_not_speak_of_leads_no_further():
    assert not _asked_on("What is this water doing?", OffTopic.refused)


def test_a_kind_of_the_thing_is_enough_to_speak_of_it():
    assert _asked_on("How long do these animals sleep?", OffTopic.passed)
    assert _asked_on("How many hours does this cat sleep?", OffTopic.passed)


def test_what_is_asked_of_the_thing_does_not_matter():
    assert _asked_on("Why does the cat purr?", OffTopic.passed)
    assert _asked_on("How long does it sleep?", OffTopic.passed)
    assert not _asked_on("What color is the pillow behind the cat?", OffTopic.passed)


def test_what_an_animal_plays_with_is_another_thing_than_the_animal():
    banana = Row(
        "What are the dogs playing with?", "banana", "banana", "genus", "Musa", path="dogs > playing with > banana"
    )
    assert not _asked_on("What does the body language of these dogs show?", banana)
    assert _asked_on("How old is this banana?", banana)


def test_a_raw_question_is_about_what_it_asks():
    assert OffTopic().decide(case(OffTopic.refused)).keep


def test_what_is_so_at_the_moment_asks_nothing_of_the_kind_of_thing():
    for question in (
        "Why is the cat asleep?",
        "What is this cat doing?",
        "What is the cat chasing?",
        "Is the cat frightened or playful?",
        "The place where the cat is has what name?",
        "Which city does the cat live in?",
    ):
        assert not _asked_on(question, OffTopic.passed), question
    for question in (
        "What kind of cat is sleeping?",
        "Why are cats considered unlucky?",
        "What is this cat known for chasing?",
        "What does a cat eat in the evening?",
    ):
        assert _asked_on(question, OffTopic.passed), question
