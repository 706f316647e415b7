from dataclasses import replace

from kbe_graph.checks.assignment import Limits
from kbe_graph.evolve.reselection import reselection, share_out
from kbe_graph.types import IMAGE, Decision, Entity, Question, Sample, SampleGraph, Triplet
from kbe_graph.wording.sentence import Wording

MAN, HORSE, BEACH = Entity("MAN"), Entity("HORSE"), Entity("BEACH")
DEPICTS = Triplet(IMAGE, "depicts", MAN, source="caption")
RIDING = Triplet(MAN, "riding", HORSE, source="caption")
ON = Triplet(HORSE, "on", BEACH, source="caption")
SAMPLE = Sample("b/s/1", "b", "s", "What color is the horse?", "brown")
GRAPH = SampleGraph("b/s/1", (DEPICTS, RIDING, ON), (), (DEPICTS,))


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


def test_a_sample_without_a_wording_has_the_first_reason():
    assert asked([(DEPICTS, RIDING, ON)]).reason == "path too long"
    assert asked([]).reason == "no path to a noun"


def test_a_search_that_took_too_long_says_so():
    assert asked(None).reason == "path search timed out"


def test_the_old_answer_and_the_second_of_a_name_are_no_new_answer():
    second = Triplet(MAN, "beside", Entity("HORSE", 2), source="caption")
    brown = Triplet(MAN, "color", Entity("brown"), source="caption")
    assert asked([(DEPICTS, second), (DEPICTS, brown)]).status == "dropped"


def test_what_the_question_does_not_speak_of_is_not_asked_for():
    sample = replace(SAMPLE, question="What is the weather like?")
    dropped = reselection(sample, GRAPH, [(DEPICTS, RIDING)], run="r", seed=0, word=word)
    assert dropped.reason == "beside the question"
    unchecked = reselection(sample, GRAPH, [(DEPICTS, RIDING)], run="r", seed=0, word=word, asks=lambda _: False)
    assert unchecked.status == "kept"


def aliases(name: str) -> tuple[str, ...]:
    triplet = Triplet(IMAGE, "depicts", Entity(name), source="instances")
    sample = replace(SAMPLE, question=f"Is this {name.lower()} new?")
    return reselection(sample, GRAPH, [(triplet,)], run="r", seed=0, word=word).aliases


def test_a_cow_may_be_called_cattle_and_a_cat_feline_but_not_by_its_other_senses():
    assert "cattle" in aliases("COW")
    assert "feline" in aliases("CAT")
    assert "guy" not in aliases("CAT")
    assert "equine" not in aliases("ZEBRA")


def test_a_thing_may_be_spelled_otherwise_and_a_vehicle_called_by_the_next_wider_word():
    assert "doughnut" in aliases("DONUT")
    assert "sailboat" in aliases("SAIL BOAT")
    assert "airplane" in aliases("JET")


def test_who_keeps_a_common_answer_does_not_depend_on_the_name_of_the_run():
    def kept(run: str) -> list[str]:
        triplet = Triplet(IMAGE, "depicts", Entity("CAT"), source="instances")
        samples = [replace(SAMPLE, id=f"s/{number}", question="Is it asleep?") for number in range(40)]
        questions = [reselection(sample, GRAPH, [(triplet,)], run=run, seed=0, word=word) for sample in samples]
        return [question.sample for question in share_out(questions, Limits()) if question.status == "kept"]

    assert 0 < len(kept("first")) < 40
    assert kept("first") == kept("second")


def test_a_dog_is_no_answer_but_keeps_its_words_where_every_check_judges():
    triplet = Triplet(IMAGE, "depicts", Entity("DOG"), source="instances")
    question = reselection(replace(SAMPLE, question="Is it asleep?"), GRAPH, [(triplet,)], run="r", seed=7, word=word)
    assert question.provenance.seed == 7
    (shared,) = share_out([question], Limits())
    assert (shared.status, shared.reason, shared.text) == ("dropped", "only asked on", question.text)
    assert share_out([question], Limits(), asks=lambda _: False) == [question]
