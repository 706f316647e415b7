from dataclasses import replace

import pytest

from kbe_graph.errors import DatasetError
from kbe_graph.facts.pack import Pack, pack
from kbe_graph.facts.relation import Relation
from kbe_graph.facts.review import FactVerdict, read_verdicts, take_verdicts, write_sheet, write_verdicts
from kbe_graph.types import Fact

DOG, PUPPY = "wn30:02084071-n", "wn30:01322604-n"
YOUNG = Fact(DOG, "dog", "young", PUPPY, "puppy", "WordNet", "3.0", "2006-12", PUPPY, "puppy: a young dog", "free")


@pytest.fixture
def sheet(tmp_path):
    file = tmp_path / "sheet.tsv"
    assert write_sheet(file, Pack((YOUNG,), {"young": Relation("young", ("the young of {}",), "young")})) == 1
    return file


def fill(sheet, verdict, note=""):
    head, line = sheet.read_text().splitlines()
    fields = line.split("\t")
    fields[3:5] = verdict, note
    sheet.write_text(f"{head}\n" + "\t".join(fields) + "\n")


def test_verdicts_are_read_back_from_a_sheet_and_empty_ones_left_out(sheet):
    assert read_verdicts(sheet) == {}
    fill(sheet, "wrong", "seen one")
    assert {(DOG, "young", PUPPY): FactVerdict("wrong", "seen one")} == read_verdicts(sheet)


def test_a_sheet_holds_no_formula_and_is_read_back_as_it_was(tmp_path):
    file, odd = tmp_path / "sheet.tsv", ("=cmd()", "'=x", "-5", "+a")
    facts = tuple(replace(YOUNG, object_id=name, object=name) for name in odd)
    write_sheet(file, Pack(facts, {"young": Relation("young", ("the young of {}",), "young")}))
    head, *lines = file.read_text().splitlines()
    assert [line.split("\t")[2] for line in lines] == ["'=cmd()", "''=x", "-5", "'+a"]
    file.write_text("\n".join([head, *(line.replace("\t\t", "\tright\t", 1) for line in lines)]) + "\n")
    assert [key[2] for key in read_verdicts(file)] == list(odd)


def test_other_answers_that_a_reviewer_found_as_right_are_kept_with_the_verdict(tmp_path):
    verdicts = {(DOG, "young", PUPPY): FactVerdict("right", "", "pup|whelp")}
    write_verdicts(tmp_path / "review.tsv", verdicts)
    assert verdicts == read_verdicts(tmp_path / "review.tsv")


def test_another_word_than_right_or_wrong_is_named_by_line(sheet):
    fill(sheet, "perhaps")
    with pytest.raises(DatasetError, match=r"sheet.tsv line 2: 'verdict' is 'perhaps'; write right or wrong"):
        read_verdicts(sheet)


def test_verdicts_kept_beside_a_pack_come_back_as_they_were(tmp_path):
    verdicts = {(DOG, "young", PUPPY): FactVerdict("right"), (DOG, "sound", "x:meow"): FactVerdict("wrong", "of cats")}
    write_verdicts(tmp_path / "review.tsv", verdicts)
    assert verdicts == read_verdicts(tmp_path / "review.tsv")


def test_every_packaged_fact_has_a_date_a_licence_and_evidence():
    assert [one for one in pack().facts if not (one.source_date and one.licence and one.evidence)] == []


def test_a_sheet_from_a_spreadsheet_is_read(sheet):
    fill(sheet, " RIGHT ")
    sheet.write_bytes(b"\xef\xbb\xbf" + sheet.read_bytes())
    assert {(DOG, "young", PUPPY): FactVerdict("right")} == read_verdicts(sheet)


def test_verdicts_that_contradict_are_refused_with_both_lines(sheet):
    fill(sheet, "right")
    sheet.write_text(sheet.read_text() + sheet.read_text().splitlines()[1].replace("right", "wrong") + "\n")
    with pytest.raises(DatasetError, match=r"line 3: .* is wrong here and right at line 2"):
        read_verdicts(sheet)


def test_a_sheet_without_a_verdict_changes_nothing_and_an_unknown_fact_is_refused(sheet, tmp_path):
    kept = tmp_path / "review.tsv"
    assert take_verdicts(sheet, kept).taken == 0
    assert not kept.exists()
    fill(sheet, "right")
    with pytest.raises(DatasetError, match="no fact 'wn30:02084071-n young"):
        take_verdicts(sheet, kept, facts=())
    assert not kept.exists()
