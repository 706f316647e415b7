"""What the packaged facts must be, whatever they say."""

from collections import Counter, defaultdict
from pathlib import Path

from kbe_graph.english.wordnet import wordnet
from kbe_graph.facts.pack import pack, read_verdicts
from kbe_graph.text import fold

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "scripts" / "build_pack"


def keys():
    return {(fact.subject_id, fact.relation, fact.object_id): fact for fact in pack().facts}


def test_each_verdict_is_of_a_fact_and_is_followed():
    verdicts, facts = read_verdicts(ROOT / "kbe_graph/data/pack/review.tsv"), keys()
    assert set() == verdicts.keys() - facts.keys()
    expected = {key: {"right": "reviewed", "wrong": "rejected"}[verdict.word] for key, verdict in verdicts.items()}
    assert expected == {key: facts[key].review for key in verdicts}


def test_a_functional_relation_has_one_object_for_each_subject():
    objects = defaultdict(set)
    for fact in pack().facts:
        if fact.review != "rejected" and pack().relations[fact.relation].functional:
            objects[fact.subject_id, fact.relation].add(fact.object_id)
    assert {key: found for key, found in objects.items() if len(found) > 1} == {}


def test_no_object_is_its_own_subject():
    assert [fact for fact in pack().facts if fact.object_id == fact.subject_id] == []
    assert [
        fact for fact in pack().facts if fold(fact.object) == fold(fact.subject) and fact.review == "reviewed"
    ] == []


def test_every_relation_of_the_table_is_in_use_and_worded():
    used = {fact.relation for fact in pack().facts}
    assert used == set(pack().relations)
    assert [one.name for one in pack().relations.values() if not one.phrases or not one.family] == []


def test_every_wordnet_id_is_one():
    for fact in pack().facts:
        for concept in (fact.subject_id, fact.object_id):
            if concept.startswith("wn30:"):
                assert wordnet().synset(concept.partition("~")[0]).id == concept.partition("~")[0]


def test_an_unsourced_fact_is_a_line_of_general_knowledge_and_names_both_ends():
    lines = [line.split("\t") for line in (BUILD / "known.tsv").read_text(encoding="utf-8").splitlines()]
    assert lines[0] == ["subject", "relation", "object", "heading", "claim"]
    claims = Counter((line[1], line[4]) for line in lines[1:])
    facts = [fact for fact in pack().facts if fact.unsourced]
    assert Counter((fact.relation, fact.evidence) for fact in facts) <= claims
    told = [(fact.subject.casefold(), fact.object.casefold(), fact.evidence.casefold()) for fact in facts]
    assert [one for one in told if one[0] not in one[2] or one[1] not in one[2]] == []
