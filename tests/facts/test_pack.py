import gzip
from pathlib import Path

import pytest

from kbe_graph.errors import DatasetError
from kbe_graph.facts.pack import COLUMNS, Pack, PackSource, pack, read_pack, write_pack
from kbe_graph.types import Question, Sample

RELATIONS = """name	phrases	family	functional	inherit	protected
young	the young of {} | what a baby {} is called	young	yes	yes	no
sound	the sound of {}	sound	yes	no	no
sex	the sex of {}	person	yes	no	yes
"""
DOG, COLLIE, PUPPY, BARK = "wn30:02084071-n", "wn30:02106030-n", "wn30:01322604-n", "wn30:07376731-n"
WORDNET = ("WordNet", "3.0", "2006-12", PUPPY, "puppy: a young dog", "WordNet 3.0 licence")


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


@pytest.fixture
def small(tmp_path) -> Pack:
    return read_pack(folder(tmp_path))


def told(facts):
    return [(fact.subject, fact.relation, fact.object) for fact in facts]


def test_facts_about_a_concept_leave_out_rejected_and_protected_ones(small):
    expected = [("dog", "young", "puppy"), ("dog", "sound", "bark")]
    assert expected == told(small.facts_about(DOG))


def test_what_holds_of_a_kind_holds_of_its_kinds_where_the_relation_passes_down(small):
    (fact,) = small.facts_about(COLLIE)
    assert (fact.subject_id, fact.relation, fact.object) == (COLLIE, "young", "puppy")


def test_asking_for_a_relation_gives_all_its_objects(small):
    assert [fact.object for fact in small.ask(DOG, "sound")] == ["bark"]


def test_reachable_says_the_fewest_facts_each_concept_needs(small):
    assert small.reachable(DOG, 3) == {PUPPY: 1, BARK: 1, "x:yelp": 2}
    assert small.reachable(DOG, 1) == {PUPPY: 1, BARK: 1}


def test_a_fact_carries_the_other_names_of_its_object(small):
    assert ("puppies", "pup") == small.facts_about(DOG)[0].aliases == small.aliases(PUPPY)


def test_what_is_as_right_an_answer_to_one_fact_is_an_alias_there_alone_and_written_back(tmp_path):
    told = read_pack(folder(tmp_path, (row(DOG, "dog", "young", PUPPY, "puppy", also="whelp|pup"), FACTS[1])))
    assert told.facts_about(DOG)[0].aliases == ("puppies", "pup", "whelp")
    assert told.aliases(PUPPY) == ("puppies", "pup")
    write_pack(tmp_path / "again", told)
    assert read_pack(tmp_path / "again").facts_about(DOG)[0].aliases == told.facts_about(DOG)[0].aliases


def test_labels_are_those_of_the_facts(small):
    assert [small.label(concept) for concept in (DOG, PUPPY, "x:none")] == ["dog", "puppy", ""]


def test_a_bad_row_is_named_by_file_line_and_field(tmp_path):
    for facts, problem in [
        ((row(DOG, "dog", "colour", "x:red", "red"),), "facts.tsv.gz line 2: 'relation' is 'colour'"),
        ((FACTS[0], FACTS[0]), "line 3: the fact .* occurs twice"),
        ((row(DOG, "dog", "young", PUPPY, "puppy", review="maybe"),), "line 2: 'review' is 'maybe'"),
        ((row(DOG, "dog", "young", PUPPY, ""),), "line 2: 'object' is empty"),
        (((*FACTS[0], "more"),), "line 2: 14 fields; there must be 13"),
    ]:
        with pytest.raises(DatasetError, match=problem):
            read_pack(folder(tmp_path, facts))


def test_a_table_with_other_columns_is_refused(tmp_path):
    with pytest.raises(DatasetError, match="the columns are"):
        read_pack(folder(tmp_path, columns=COLUMNS[::-1]))


def test_a_bad_relation_is_named_by_line(tmp_path):
    for line, problem in [
        ("bark\tthe bark\tsound\tyes\tno\tno", "needs one {} for the subject"),
        ("young\tthe young of {}\tyoung\tyes\tno\tno", "occurs twice"),
        ("bark\tthe bark of {}\tsound\tyes\tmaybe\tno", "'inherit' is 'maybe'; write 'yes' or 'no'"),
    ]:
        with pytest.raises(DatasetError, match=problem):
            read_pack(folder(tmp_path, relations=RELATIONS + line + "\n"))


async def candidates(source, concept):
    sample = Sample("b/s/1", "b", "s", "What animal is this?", "dog")
    question = Question("b/s/1@raw/0", sample.id, "raw", 0, "raw", sample.question, "dog", (), concept=concept)
    return await source.candidates(sample, question)


def test_the_pack_is_a_knowledge_source_for_linked_answers(small):
    import asyncio

    assert told(small.facts_about(DOG)) == told(asyncio.run(candidates(PackSource(small), DOG)))
    assert asyncio.run(candidates(PackSource(small), "")) == ()


def test_the_packaged_pack_is_read_once():
    pack.cache_clear()
    first = pack()
    assert first is pack()
