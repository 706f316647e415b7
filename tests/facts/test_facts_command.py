import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kbe_graph.checks import FilterSettings
from kbe_graph.cli.main import kbe
from kbe_graph.errors import InputError, ResourceError
from kbe_graph.evolve.knowledge import packaged_knowledge, with_verdicts
from kbe_graph.evolve.offline import offline_plan
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.facts.pack import Age, Pack, ages, merge, pack, read_pack
from kbe_graph.facts.relation import Relation
from kbe_graph.facts.review import (
    SHEET,
    FactVerdict,
    apply_verdicts,
    read_verdicts,
    write_pack,
    write_sheet,
    write_verdicts,
)
from kbe_graph.facts.walk import look_up
from kbe_graph.folder import create_folder
from kbe_graph.types import Fact

GIRAFFE = "wn30:02439033-n"


def fact(subject: str, name: str, *, source: str = "S", date: str = "", review: str = "auto") -> Fact:
    return Fact(
        f"x:{subject}", subject, "capital", f"x:{name}", name, source, "1", date, "ref", "it\tsays", "CC0", review
    )


def small(*facts: Fact) -> Pack:
    return Pack(facts, {"capital": Relation("capital", ("the capital of {}",), "capital")}, {"x:Italy": ("Italia",)})


def said(*arguments: str) -> str:
    result = CliRunner().invoke(kbe, ["facts", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_age_counts_undated_and_old_facts_by_source_without_rejected_ones():
    facts = [fact("a", "b", date="2024"), fact("c", "d", date="2024-06-01"), fact("e", "f"), fact("g", "h", source="T")]
    facts.append(fact("i", "j", date="1999", review="rejected"))
    assert ages(facts, "2024-07-01") == (Age("S", 3, 1, 1), Age("T", 1, 1, 0))
    assert ages(facts, "2025-01-01")[0].older_share == pytest.approx(2 / 3)


def test_check_prints_a_line_a_source():
    rows = json.loads(said("check", "--older-than", "3", "--json"))
    assert {row["source"]: row["older share"] for row in rows}["WordNet"] == 1.0


def test_show_takes_a_name_an_alias_and_an_id():
    facts = (fact("Italy", "Rome"), fact("Rome", "x"))
    by_name, by_alias, by_id = (look_up(small(*facts), name)[0] for name in ("italy", "Italia", "x:Italy"))
    assert by_name == by_alias == by_id
    assert by_id.facts == facts[:1]
    with pytest.raises(InputError, match="no fact about 'nowhere'"):
        look_up(small(*facts), "nowhere")


def test_show_prints_source_version_evidence_and_review():
    (giraffe,) = json.loads(said("show", "giraffe", "--json"))
    assert giraffe["concept"] == GIRAFFE
    assert {one["source"] for one in giraffe["facts"]} >= {"WordNet"}
    assert all(one["source_version"] and one["evidence"] and one["review"] for one in giraffe["facts"])
    assert said("show", GIRAFFE).splitlines()[1].startswith("relation\tobject\tsource\tsource_version")


def test_link_prints_a_concept_or_why_there_is_none(tmp_path: Path):
    table = tmp_path / "answers.tsv"
    table.write_text("question\tanswer\nWhat animal is this?\tgiraffe\nWhat is it?\tzzgh\n")
    giraffe, unknown = json.loads(said("link", str(table), "--json"))
    assert (giraffe["concept"], giraffe["confidence"] > 0.2) == (GIRAFFE, True)
    assert (unknown["concept"], unknown["reason"]) == ("", "not in WordNet")


def test_a_sheet_holds_what_nobody_has_reviewed(tmp_path: Path):
    facts = (fact("Italy", "Rome"), fact("Spain", "Madrid", review="reviewed"))
    assert write_sheet(tmp_path / "sheet.tsv", small(*facts)) == 1
    head, row = (tmp_path / "sheet.tsv").read_text().splitlines()
    assert head.split("\t") == list(SHEET)
    assert row.split("\t")[:5] == ["x:Italy", "capital", "x:Rome", "", ""]
    assert "it says" in row


def test_a_pack_that_is_written_is_read_again_and_always_in_the_same_bytes(tmp_path: Path):
    packs = small(fact("Italy", "Rome"), fact("Spain", "Madrid"))
    for name in "ab":
        write_pack(tmp_path / name, packs)
    again = read_pack(tmp_path / "a")
    assert (again.facts[1].object, again.relations, again.names) == ("Madrid", packs.relations, packs.names)
    assert [file.read_bytes() for file in sorted((tmp_path / "a").iterdir())] == [
        file.read_bytes() for file in sorted((tmp_path / "b").iterdir())
    ]


def test_merged_packs_state_a_fact_once_by_the_first_and_keep_what_differs():
    first, second = small(fact("Italy", "Rome", source="A")), small(fact("Italy", "rome", source="B"), fact("b", "c"))
    assert [(one.source, one.object) for one in merge(first, second).facts] == [("A", "Rome"), ("S", "c")]
    other = small(fact("Italy", "Turin"))
    assert [one.object for one in merge(first, other).ask("x:Italy", "capital")] == ["Rome", "Turin"]
    assert merge(second, pack()).relation("capital").phrases == ("the capital of {}",)


def test_a_folder_without_a_pack_is_told_of(tmp_path: Path):
    with pytest.raises(ResourceError, match="no pack at"):
        said("check", "--pack", str(tmp_path))


def test_verdicts_of_a_sheet_are_kept_in_the_workspace_and_runs_go_by_them(tmp_path: Path):
    create_folder(tmp_path)
    file = tmp_path / "sheet.tsv"
    verdicts = {
        (each.subject_id, each.relation, each.object_id): verdict
        for each, verdict in zip(
            [each for each in pack().facts if each.subject_id == GIRAFFE],
            (("wrong", "seen", ""), ("right", "", "Kenya")),
            strict=False,
        )
    }
    lines = ["\t".join((*key, *verdict)) for key, verdict in verdicts.items()]
    file.write_text("\n".join(["\t".join(SHEET[:6]), *lines]) + "\n")
    told = CliRunner().invoke(kbe, ["-w", str(tmp_path), "facts", "review", str(file)], catch_exceptions=False)
    assert "imported 2 verdicts; " in told.stdout
    assert "has 1 right, 1 wrong facts" in told.stdout
    facts = [Fact(GIRAFFE, "giraffe", relation, end, "e", "S") for _, relation, end in verdicts]
    first, second = apply_verdicts(Pack(tuple(facts), {}), read_verdicts(tmp_path / "review.tsv")).facts
    assert (first.review, second.review, second.aliases) == ("rejected", "reviewed", ("Kenya",))


def test_a_run_that_was_made_by_other_verdicts_is_another_run(tmp_path: Path):
    workspace = create_folder(tmp_path)
    plan = offline_plan(RunOptions("r"), FilterSettings())
    assert with_verdicts(plan, workspace) == plan
    key = (GIRAFFE, "native continent", pack().ask(GIRAFFE, "native continent")[0].object_id)
    write_verdicts(workspace.review, {key: FactVerdict("wrong")})
    assert dict(with_verdicts(plan, workspace).run.settings)["verdicts"]
    assert packaged_knowledge(workspace).pack.ask(GIRAFFE, "native continent") == ()


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"a\tb\n", "the columns are"), (b"\xff\xfe", "is not UTF-8"), (None, "no such file")],
)
def test_a_sheet_that_is_none_is_refused_and_nothing_kept(tmp_path: Path, content: bytes | None, problem: str):
    create_folder(tmp_path)
    if content is not None:
        (tmp_path / "sheet.tsv").write_bytes(content)
    told = CliRunner().invoke(kbe, ["-w", str(tmp_path), "facts", "review", str(tmp_path / "sheet.tsv")])
    assert isinstance(told.exception, InputError)
    assert problem in str(told.exception)
    assert not (tmp_path / "review.tsv").exists()
