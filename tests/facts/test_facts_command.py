import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kbe_graph.cli.main import kbe
from kbe_graph.errors import InputError
from kbe_graph.evolve.knowledge import packaged_knowledge, verdicts_hash
from kbe_graph.facts.pack import FactVerdict, Pack, kept_verdicts, merge, pack, read_pack, write_pack, write_verdicts
from kbe_graph.facts.relation import Relation
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


def test_show_takes_a_name_an_alias_and_an_id():
    facts = (fact("Italy", "Rome"), fact("Rome", "x"))
    by_name, by_alias, by_id = (look_up(small(*facts), name)[0] for name in ("italy", "Italia", "x:Italy"))
    assert by_name == by_alias == by_id
    assert by_id.facts == facts[:1]
    with pytest.raises(InputError, match="no fact about 'nowhere'"):
        look_up(small(*facts), "nowhere")


def test_show_prints_source_version_evidence_and_review():
    (giraffe,) = json.loads(said("giraffe", "--json"))
    assert giraffe["concept"] == GIRAFFE
    assert {one["source"] for one in giraffe["facts"]} >= {"WordNet"}
    assert all(one["source_version"] and one["evidence"] and one["review"] for one in giraffe["facts"])
    assert said(GIRAFFE).splitlines()[1].startswith("relation\tobject\tsource\tsource_version")


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
    assert merge(second, pack()).relations["capital"].phrases == ("the capital of {}",)


def test_runs_go_by_the_verdicts_of_the_workspace(tmp_path: Path):
    folder = create_folder(tmp_path)
    first, second = [each for each in pack().facts if each.subject_id == GIRAFFE][:2]
    keys = [(each.subject_id, each.relation, each.object_id) for each in (first, second)]
    assert verdicts_hash(folder) == ""
    write_verdicts(folder.review, {keys[0]: FactVerdict("wrong", "seen"), keys[1]: FactVerdict("right", "", "Kenya")})
    facts = packaged_knowledge(kept_verdicts(folder.review)).pack.facts_about(GIRAFFE)
    assert first.object not in {fact.object for fact in facts if fact.relation == first.relation}
    assert "Kenya" in next(fact for fact in facts if fact.object_id == second.object_id).aliases
    assert verdicts_hash(folder)
