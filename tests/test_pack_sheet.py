import pytest

from kbe_graph.errors import DatasetError
from kbe_graph.knowledge.freshness import check
from kbe_graph.knowledge.pack import Pack, pack
from kbe_graph.knowledge.relation import Relation
from kbe_graph.knowledge.sheet import Verdict, read_sheet, read_verdicts, write_sheet, write_verdicts
from kbe_graph.types import Fact

DOG, PUPPY = "wn30:02084071-n", "wn30:01322604-n"


def fact(relation="young", *, date="2006-12", review="auto", source="WordNet"):
    return Fact(DOG, "dog", relation, PUPPY, "puppy", source, "3.0", date, PUPPY, "puppy: a young dog", "free", review)


def filled(sheet, verdict):
    head, *lines = sheet.read_text().splitlines()
    fields = [line.split("\t") for line in lines]
    lines = ["\t".join([*some[:8], verdict, "seen one"]) for some in fields]
    sheet.write_text("\n".join([head, *lines]) + "\n")


def test_a_sheet_has_a_line_a_fact_and_what_is_known_of_it(tmp_path):
    sheet = tmp_path / "sheet.tsv"
    assert write_sheet(sheet, [fact(), fact("male", review="reviewed"), fact("sound", review="rejected")]) == 3
    assert [line.split("\t")[8] for line in sheet.read_text().splitlines()[1:]] == ["", "right", "wrong"]


def test_verdicts_are_read_back_and_empty_ones_left_out(tmp_path):
    sheet = tmp_path / "sheet.tsv"
    write_sheet(sheet, [fact()])
    assert read_sheet(sheet) == {}
    filled(sheet, "wrong")
    assert {(DOG, "young", PUPPY): Verdict("wrong", "seen one")} == read_sheet(sheet)


def test_another_word_than_right_or_wrong_is_named_by_line(tmp_path):
    sheet = tmp_path / "sheet.tsv"
    write_sheet(sheet, [fact()])
    filled(sheet, "perhaps")
    with pytest.raises(DatasetError, match=r"sheet.tsv line 2: 'verdict' is 'perhaps'; write right or wrong"):
        read_sheet(sheet)


def test_verdicts_kept_beside_a_pack_come_back_as_they_were(tmp_path):
    verdicts = {(DOG, "young", PUPPY): Verdict("right"), (DOG, "sound", "x:meow"): Verdict("wrong", "of cats")}
    write_verdicts(tmp_path / "review.tsv", verdicts)
    assert verdicts == read_verdicts(tmp_path / "review.tsv")


def test_the_age_of_facts_is_told_by_source():
    relations = {name: Relation(name, ("the {}",), name) for name in ("young", "male", "sound")}
    facts = (fact(), fact("male", date="", source="a friend"), fact("sound", review="rejected"))
    wordnet, friend = check(Pack(facts, relations), older_than="2010"), check(Pack(facts, relations))
    assert [(one.source, one.facts, one.undated, one.older) for one in wordnet] == [
        ("WordNet", 1, 0, 1),
        ("a friend", 1, 1, 0),
    ]
    assert [one.older for one in friend] == [0, 0]


def test_every_packaged_fact_has_a_date_and_a_licence():
    assert [one for one in pack().facts if not (one.source_date and one.licence and one.evidence)] == []
