from kbe_graph.english.same_thing import is_other_name, is_sibling
from kbe_graph.export.jsonl import record
from kbe_graph.extract.sample_graph import raw_question
from kbe_graph.scoring.score_rules import ground_truth
from kbe_graph.show.sample_story import SampleStory
from kbe_graph.types import Sample


def test_synonyms_kinds_and_other_spellings_name_the_same() -> None:
    for answer, other in [
        ("couch", "sofa"),
        ("motorcycle", "motorcycles"),
        ("left hand", "hand"),
        ("united states", "america"),
    ]:
        assert is_other_name(answer, other)


def test_what_is_another_thing_is_no_other_name() -> None:
    for answer, other in [("mac", "windows"), ("museum", "kitchen"), ("lake", "ocean")]:
        assert not is_other_name(answer, other)


def test_two_kinds_of_one_thing_are_siblings():
    assert is_sibling("asphalt", "concrete") or is_sibling("red", "green")
    assert not is_sibling("snow", "skiing")


def test_what_people_answer_is_an_alias_unless_it_is_another_answer() -> None:
    for answers, aliases in [
        ({"mac": 4, "windows": 4, "apple": 2}, ()),
        ({"red": 6, "green": 4}, ()),
        ({"sofa": 5, "couch": 5}, ("couch",)),
        ({"carry passengers": 6, "transport": 4}, ("transport",)),
    ]:
        assert raw_question(answered(answers)).aliases == aliases


def answered(answers: dict[str, int]) -> Sample:
    given = tuple(answer for answer, count in answers.items() for _ in range(count))
    return Sample("b/s/1", "b", "s", "What is it?", given[0], given)


def test_a_split_answer_is_marked_and_what_people_gave_stays_right_for_the_raw_question():
    sample = answered({"mac": 4, "windows": 4})
    assert record(sample, raw_question(sample))["rivals"] == ["windows"]
    assert "rivals" not in record(answered({"mac": 8}), raw_question(answered({"mac": 8})))
    assert ground_truth(raw_question(sample), sample).names == ("mac", "windows")
    lines = [line.text for line in SampleStory(sample, ()).lines(brief=True)]
    assert any("equally many people answered windows" in line for line in lines)
