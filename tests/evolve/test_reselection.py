import asyncio
from dataclasses import replace

from kbe_graph.checks.guessable import Shares
from kbe_graph.english.reference import Wording
from kbe_graph.evolve.reselection import reselection as reselect
from kbe_graph.evolve.reselection import share_out
from kbe_graph.types import IMAGE, Decision, Entity, Question, Sample, SampleGraph, Triplet

MAN, HORSE, BEACH = Entity("MAN"), Entity("HORSE"), Entity("BEACH")
DEPICTS = Triplet(IMAGE, "depicts", MAN, source="caption")
RIDING = Triplet(MAN, "riding", HORSE, source="caption")
ON = Triplet(HORSE, "on", BEACH, source="caption")
SAMPLE = Sample("b/s/1", "b", "s", "What color is the horse?", "brown")
GRAPH = SampleGraph("b/s/1", (DEPICTS, RIDING, ON), (), (DEPICTS,))


def reselection(*given, **options) -> Question:
    return asyncio.run(reselect(*given, **options))


def word(_graph, path, _seed):
    if path[-1] is ON:
        return Decision(keep=False, reason="path too long")
    return Wording(f"What is the man {path[-1].relation}?", "path")


def asked(paths) -> Question:
    return reselection(SAMPLE, GRAPH, paths, run="r", seed=0, word=word)


def test_the_longest_path_that_can_be_worded_is_taken():
    question = asked([(DEPICTS, RIDING, ON), (DEPICTS, RIDING)])
    assert question.answer == "horse"
    assert question.key == (DEPICTS, RIDING)
    assert question.status == "kept"


def test_what_the_question_does_not_speak_of_is_not_asked_for():
    sample = replace(SAMPLE, question="What is the weather like?")
    dropped = reselection(sample, GRAPH, [(DEPICTS, RIDING)], run="r", seed=0, word=word)
    assert dropped.reason == "not related to the original question"
    unchecked = reselection(sample, GRAPH, [(DEPICTS, RIDING)], run="r", seed=0, word=word, asks=lambda _: False)
    assert unchecked.status == "kept"


def aliases(name: str) -> tuple[str, ...]:
    triplet = Triplet(MAN, "holding", Entity(name), source="instances")
    sample = replace(SAMPLE, question=f"Is this {name.lower()} new?")
    return reselection(sample, GRAPH, [(DEPICTS, triplet)], run="r", seed=0, word=word).aliases


def test_a_thing_has_the_names_that_mean_it_first_and_other_spellings():
    assert "guy" not in aliases("CAT")
    assert "doughnut" in aliases("DONUT")
    assert "phone" in aliases("CELL PHONE")


def test_a_common_answer_keeps_its_share_whatever_the_name_of_the_run():
    def kept(run: str) -> list[str]:
        triplets = [Triplet(MAN, "riding", Entity(name)) for name in ("HORSE", *map(str.upper, THINGS))]
        paths = [(DEPICTS, triplets[0] if number % 2 else triplets[number % len(triplets)]) for number in range(40)]
        questions = [
            reselection(
                replace(SAMPLE, id=f"s/{number}", question="Is it new?"), GRAPH, [path], run=run, seed=0, word=word
            )
            for number, path in enumerate(paths)
        ]
        shared = share_out(questions, Shares(answer=0.2))
        return [question.answer for question in shared if question.status == "kept"]

    assert kept("first") == kept("second")
    assert 1 < kept("first").count("horse") <= 0.2 * len(kept("first"))


THINGS = ("bike", "boat", "elephant", "donkey", "camel", "sled", "wagon", "scooter", "bull", "pony")
