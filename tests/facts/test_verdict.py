from pathlib import Path

import pytest

from kbe_graph.errors import DatasetError
from kbe_graph.facts.pack import KEPT_COLUMNS, FactVerdict, add_verdict, pack, read_verdicts, write_verdicts

DOG, PUPPY = "wn30:02084071-n", "wn30:01322604-n"
KEY = (DOG, "young", PUPPY)


def table(folder: Path, *lines: str) -> Path:
    file = folder / "review.tsv"
    file.write_text("\n".join(["\t".join(KEPT_COLUMNS), *lines]) + "\n", encoding="utf-8")
    return file


def test_verdicts_kept_beside_a_pack_come_back_as_they_were_and_a_new_one_keeps_other_answers(tmp_path):
    file = tmp_path / "review.tsv"
    verdicts = {KEY: FactVerdict("right", "", "pup|whelp"), (DOG, "sound", "x:meow"): FactVerdict("wrong", "of cats")}
    write_verdicts(file, verdicts)
    assert verdicts == read_verdicts(file)
    add_verdict(file, KEY, FactVerdict("wrong"))
    assert read_verdicts(file)[KEY] == FactVerdict("wrong", "", "pup|whelp")


def test_a_verdict_is_right_or_wrong_once_for_a_fact(tmp_path):
    line = f"{DOG}\tyoung\t{PUPPY}\t{{}}\t\t"
    assert read_verdicts(table(tmp_path, line.format(" RIGHT "), line.format(""))) == {KEY: FactVerdict("right")}
    with pytest.raises(DatasetError, match=r"line 2: 'verdict' is 'perhaps'; write right or wrong"):
        read_verdicts(table(tmp_path, line.format("perhaps")))
    with pytest.raises(DatasetError, match=r"line 3: .* is both right and wrong"):
        read_verdicts(table(tmp_path, line.format("right"), line.format("wrong")))
    (tmp_path / "review.tsv").write_text("a\tb\n")
    with pytest.raises(DatasetError, match="the columns are"):
        read_verdicts(tmp_path / "review.tsv")


def test_every_packaged_fact_has_a_date_a_licence_and_evidence():
    assert [one for one in pack().facts if not (one.source_date and one.licence and one.evidence)] == []
