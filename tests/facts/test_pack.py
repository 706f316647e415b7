"""The fact pack: what it tells of a concept, how it is written, merged and reviewed, and how commands show it."""

import asyncio
import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kbe_graph import facts_about
from kbe_graph.cli.main import kbe
from kbe_graph.errors import DatasetError, InputError
from kbe_graph.evolve.knowledge import packaged_knowledge, verdicts_hash
from kbe_graph.facts.pack import (
    COLUMNS,
    KEPT_COLUMNS,
    FactVerdict,
    Pack,
    PackSource,
    add_verdict,
    kept_verdicts,
    merge,
    pack,
    read_pack,
    read_verdicts,
    write_verdicts,
)
from kbe_graph.facts.relation import Relation
from kbe_graph.facts.walk import look_up
from kbe_graph.folder import create_folder
from kbe_graph.types import Fact, Question, Sample

RELATIONS = """name	phrases	family	functional	inherit	protected
young	the young of {} | what a baby {} is called	young	yes	yes	no
sound	the sound of {}	sound	yes	no	no
sex	the sex of {}	person	yes	no	yes
"""
DOG, COLLIE, PUPPY, BARK = "wn30:02084071-n", "wn30:02106030-n", "wn30:01322604-n", "wn30:07376731-n"
GIRAFFE = "wn30:02439033-n"
WORDNET = ("WordNet", "3.0", "2006-12", PUPPY, "puppy: a young dog", "WordNet 3.0 licence")
KEY = (DOG, "young", PUPPY)


def row(subject_id, subject, relation, object_id, name, *, review="auto", also=""):
    return (subject_id, subject, relation, object_id, name, *WORDNET, review, also)


FACTS = (
    row(DOG, "dog", "young", PUPPY, "puppy"),
    row(DOG, "dog", "sound", BARK, "bark"),
    row(DOG, "dog", "sound", "x:meow", "meow", review="rejected"),
    row(DOG, "dog", "sex", "x:male", "male"),
    row(PUPPY, "puppy", "sound", "x:yelp", "yelp"),
)


def folder(place: Path, facts=FACTS, relations=RELATIONS, columns=COLUMNS) -> Path:
    text = "".join("\t".join(fields) + "\n" for fields in (columns, *facts))
    (place / "facts.tsv.gz").write_bytes(gzip.compress(text.encode()))
    (place / "relations.tsv").write_text(relations)
    (place / "aliases.tsv").write_text(f"concept\tlabel\taliases\n{PUPPY}\tpuppy\tpuppies|pup\n")
    return place


def told(facts):
    return [(fact.subject, fact.relation, fact.object) for fact in facts]


def test_a_concept_has_its_usable_facts_and_those_of_its_kinds_that_pass_down(tmp_path):
    small = read_pack(folder(tmp_path))
    expected = [("dog", "young", "puppy"), ("dog", "sound", "bark")]
    assert expected == told(small.facts_about(DOG))
    (fact,) = small.facts_about(COLLIE)
    assert (fact.subject_id, fact.relation, fact.object) == (COLLIE, "young", "puppy")
    assert [fact.object for fact in small.ask(DOG, "sound")] == ["bark"]
    assert small.reachable(DOG, 3) == {PUPPY: 1, BARK: 1, "x:yelp": 2}
    assert small.reachable(DOG, 1) == {PUPPY: 1, BARK: 1}
    assert ("puppies", "pup") == small.facts_about(DOG)[0].aliases == small.aliases(PUPPY)
    assert [small.label(concept) for concept in (DOG, PUPPY, "x:none")] == ["dog", "puppy", ""]
    sample = Sample("b/s/1", "b", "s", "What animal is this?", "dog")
    for concept, facts in ((DOG, expected), ("", [])):
        question = Question("b/s/1@raw/0", sample.id, "raw", 0, "raw", sample.question, "dog", (), concept=concept)
        assert told(asyncio.run(PackSource(small).candidates(sample, question))) == facts


def test_every_packaged_fact_has_a_date_a_licence_and_evidence():
    assert [one for one in pack().facts if not (one.source_date and one.licence and one.evidence)] == []


# Two packs, and verdicts on their facts


def fact(subject: str, name: str, *, source: str = "S") -> Fact:
    said = (source, "1", "", "ref", "it\tsays", "CC0", "auto")
    return Fact(f"x:{subject}", subject, "capital", f"x:{name}", name, *said)


def small(*facts: Fact) -> Pack:
    return Pack(facts, {"capital": Relation("capital", ("the capital of {}",), "capital")}, {"x:Italy": ("Italia",)})


def test_merged_packs_state_a_fact_once_by_the_first_and_keep_what_differs():
    first, second = small(fact("Italy", "Rome", source="A")), small(fact("Italy", "rome", source="B"), fact("b", "c"))
    assert [(one.source, one.object) for one in merge(first, second).facts] == [("A", "Rome"), ("S", "c")]
    other = small(fact("Italy", "Turin"))
    assert [one.object for one in merge(first, other).ask("x:Italy", "capital")] == ["Rome", "Turin"]
    assert merge(second, pack()).relations["capital"].phrases == ("the capital of {}",)


def test_verdicts_come_back_as_they_were_and_a_new_one_keeps_other_answers(tmp_path):
    file = tmp_path / "review.tsv"
    verdicts = {KEY: FactVerdict("right", "", "pup|whelp"), (DOG, "sound", "x:meow"): FactVerdict("wrong", "of cats")}
    write_verdicts(file, verdicts)
    assert verdicts == read_verdicts(file)
    add_verdict(file, KEY, FactVerdict("wrong"))
    assert read_verdicts(file)[KEY] == FactVerdict("wrong", "", "pup|whelp")


def test_a_verdict_is_right_or_wrong_once_for_a_fact(tmp_path):
    def table(*words: str) -> Path:
        lines = [f"{DOG}\tyoung\t{PUPPY}\t{word}\t\t" for word in words]
        file = tmp_path / "review.tsv"
        file.write_text("\n".join(["\t".join(KEPT_COLUMNS), *lines]) + "\n", encoding="utf-8")
        return file

    assert read_verdicts(table(" RIGHT ", "")) == {KEY: FactVerdict("right")}
    for words, problem in {
        ("perhaps",): r"line 2: 'verdict' is 'perhaps'; write right or wrong",
        ("right", "wrong"): r"line 3: .* is both right and wrong",
    }.items():
        with pytest.raises(DatasetError, match=problem):
            read_verdicts(table(*words))


def test_runs_go_by_the_verdicts_of_the_workspace(tmp_path: Path):
    place = create_folder(tmp_path)
    first, second = [each for each in pack().facts if each.subject_id == GIRAFFE][:2]
    keys = [(each.subject_id, each.relation, each.object_id) for each in (first, second)]
    assert verdicts_hash(place) == ""
    write_verdicts(place.review, {keys[0]: FactVerdict("wrong", "seen"), keys[1]: FactVerdict("right", "", "Kenya")})
    facts = packaged_knowledge(kept_verdicts(place.review)).pack.facts_about(GIRAFFE)
    assert first.object not in {fact.object for fact in facts if fact.relation == first.relation}
    assert "Kenya" in next(fact for fact in facts if fact.object_id == second.object_id).aliases
    assert verdicts_hash(place)


# Commands


def said(*arguments: str) -> str:
    result = CliRunner().invoke(kbe, ["facts", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_show_takes_a_name_an_alias_and_an_id_and_prints_the_sources():
    facts = (fact("Italy", "Rome"), fact("Rome", "x"))
    by_name, by_alias, by_id = (look_up(small(*facts), name)[0] for name in ("italy", "Italia", "x:Italy"))
    assert by_name == by_alias == by_id
    assert by_id.facts == facts[:1]
    with pytest.raises(InputError, match="no fact about 'nowhere'"):
        look_up(small(*facts), "nowhere")
    with pytest.raises(InputError, match="WordNet lacks the word"):
        facts_about("labradoodle")
    (giraffe,) = json.loads(said("giraffe", "--json"))
    assert giraffe["concept"] == GIRAFFE
    assert all(one["source"] and one["source_version"] and one["evidence"] for one in giraffe["facts"])
    assert said(GIRAFFE).splitlines()[1].startswith("relation\tobject\tsource\tsource_version")


def test_a_name_that_ends_in_another_name_has_none_of_its_facts() -> None:
    for name in ("Air Canada", "New Sweden"):
        with pytest.raises(InputError, match="no fact about"):
            facts_about(name)
    assert facts_about("Canada")
