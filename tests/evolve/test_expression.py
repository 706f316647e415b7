import asyncio
from dataclasses import replace

import pytest

from kbe_graph.checks import build_checks
from kbe_graph.english import parse
from kbe_graph.english.parse import Parser
from kbe_graph.english.reference import Wording
from kbe_graph.english.wordnet import wordnet
from kbe_graph.evolve.exploration import Worded, word_question
from kbe_graph.evolve.reselection import word_path
from kbe_graph.evolve.rule_wording import RuleExpresser
from kbe_graph.facts.pack import pack
from kbe_graph.types import IMAGE, Candidate, Decision, Entity, Fact, Question, Sample, SampleGraph, Triplet


def word(each: Candidate, seed: int, parser: Parser = parse.PLAIN) -> Worded:
    """Word a candidate by rules, with the checks of words alone: the facts of these tests are made up."""
    checks = build_checks(pack())
    words = replace(checks, by_reads={**checks.by_reads, "question": ()})
    return asyncio.run(word_question(each, words, RuleExpresser(pack(), parser), "first", seed))


def candidate(question: str, answer: str, fact: Fact, answers: tuple[str, ...] = ()) -> Candidate:
    sample = Sample("okvqa/val/1", "okvqa", "val", question, answer, answers or (answer,))
    key = (Triplet(IMAGE, "depicts", Entity(answer.upper())),)
    raw = Question("okvqa/val/1@raw/0", sample.id, "raw", 0, "raw", question, answer, key)
    return Candidate(sample, SampleGraph(sample.id, key, (), key), raw, fact)


def fact(relation: str, thing: str, aliases: tuple[str, ...] = ()) -> Fact:
    return Fact("a", "a", relation, "b", thing, "pack", aliases=aliases)


def question_of(candidate: Candidate, seed: int = 1, parser: Parser = parse.PLAIN) -> Question:
    question = word(candidate, seed, parser)
    assert isinstance(question, Question), question.reason
    return question


def refusal(candidate: Candidate) -> str:
    decision = word(candidate, 1)
    assert isinstance(decision, Decision)
    return decision.reason


def hop(before: Candidate, following: Fact, seed: int = 1) -> Candidate:
    question = question_of(before, seed)
    return replace(before, question=question, fact=following)


DALMATIAN = candidate("What breed of dog is this?", "dalmatian", fact("country of origin", "Croatia", ("Hrvatska",)))


def test_a_question_carries_its_key_answer_and_provenance():
    question = question_of(DALMATIAN)
    assert (question.id, question.hop, question.kind) == ("okvqa/val/1@first/1", 1, "explored")
    assert (question.answer, question.aliases, question.concept) == ("Croatia", ("Hrvatska",), "b")
    assert [triplet.id for triplet in question.key] == [
        "image|depicts|dalmatian",
        "dalmatian|country of origin|croatia",
    ]
    assert question.parent == "okvqa/val/1@raw/0"
    assert (question.provenance.maker, question.provenance.seed) == ("rule", 1)
    assert question.provenance.pattern.startswith("shown/")


def test_three_hops_nest_and_name_nothing_on_the_way():
    origin = replace(DALMATIAN, fact=fact("place of origin", "Croatia"))
    first = hop(origin, fact("capital", "Zagreb"))
    second = hop(first, fact("river", "Jarun"))
    third = question_of(second)
    texts = [first.question.text, second.question.text, third.text]
    assert all("dog" in text and text.endswith("?") and text.count("?") == 1 for text in texts)
    assert "capital" in texts[1]
    assert "capital" in texts[2]
    assert not any(name in text.lower() for text in texts for name in ("dalmatian", "croatia", "zagreb", "jarun"))
    assert third.difficulty == 4


def test_a_question_that_makes_no_noun_phrase_is_refused():
    for question in ("What kind of seeds on the bun?", "What do you call a group of these cows?"):
        assert refusal(candidate(question, "albatross", fact("taxonomic family", "Diomedeidae"))) == "no noun phrase"


@pytest.mark.parametrize(
    ("question", "answer", "concept"),
    [
        ("What is he using?", "racket", "racket"),
        ("What is the German name for this meal?", "bratwurst", "bratwurst"),
        ("What sport is the person with?", "racket", "racket"),
    ],
)
def test_a_root_that_no_noun_stands_for_or_one_that_the_answer_is_not_is_refused(question, answer, concept):
    asked = candidate(question, answer, fact("country of origin", "Croatia"))
    thing = Entity(answer.upper(), concept=wordnet().synsets(concept)[-1].id)
    end = replace(asked.question.key[0], object=thing)
    graph = SampleGraph(asked.sample.id, (end,), (), (end,))
    assert refusal(replace(asked, question=replace(asked.question, key=(end,)), graph=graph)) in {
        "no root",
        "no noun phrase",
    }


def test_a_chain_that_began_with_a_reselected_path_is_worded_from_the_path():
    man, horse = Entity("MAN"), Entity("HORSE")
    visual = (Triplet(IMAGE, "depicts", man), Triplet(man, "leading", horse), Triplet(IMAGE, "depicts", Entity("SKY")))
    graph = SampleGraph("s", visual, (), visual[2:])
    sample = Sample("s", "okvqa", "val", "Is he fast?", "yes", ("yes",))
    wording = word_path(graph, visual[:2], 1)
    assert isinstance(wording, Wording)
    parent = Question("s@first/0", "s", "first", 0, "reselected", wording.text, "horse", visual[:2])
    one = Candidate(sample, graph, parent, fact("young", "foal"))
    assert wording.text == "What animal is the man in this image leading?"
    assert "the animal" in question_of(one).text
    assert "man" in question_of(one).text
    assert "horse" not in question_of(one).text
