"""The table of relations: what each row says, shown by a fact of the pack and the questions the rules make of it."""

import ast
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from filter_cases import walk

from kbe_graph.checks.fact import Functional
from kbe_graph.english.reference import Phrase, fill
from kbe_graph.english.wordnet import wordnet
from kbe_graph.errors import DatasetError
from kbe_graph.facts.pack import pack
from kbe_graph.facts.relation import COLUMNS, Relation, question_of, read_relations, relations
from kbe_graph.types import IMAGE, Candidate, Entity, Fact, Question, Sample, SampleGraph, Triplet

THIS = Phrase("this one")
PACKAGE = Path(__file__).parents[2] / "kbe_graph"
MAKES_ROW = ("Row", "CHAIN._replace")


class Held(NamedTuple):
    """A relation as read by eye: an example fact, a kind below its subject, the row's marks, and its questions."""

    relation: str
    subject_id: str
    subject: str
    object: str
    below: str
    family: str
    marks: str
    questions: str


def held() -> list[Held]:
    with (Path(__file__).parents[1] / "data" / "relations.tsv").open(encoding="utf-8", newline="") as lines:
        return [Held(**row) for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


def marks(relation: Relation) -> Iterator[str]:
    flags = {"several": not relation.functional, "inherited": relation.inherit, "protected": relation.protected}
    yield from (name for name, on in flags.items() if on)
    lists = {
        "asked of": (relation.asked_of,) * bool(relation.asked_of),
        "also said": relation.synonyms,
        "subject": relation.subject,
        "object": relation.object,
    }
    yield from (f"{name} {', '.join(words)}" for name, words in lists.items() if words)


def example(row: Held) -> Fact:
    facts = pack().ask(row.subject_id, row.relation)
    return next(fact for fact in facts if (fact.subject, fact.object) == (row.subject, row.object))


def candidate(fact: Fact) -> Candidate:
    key = (Triplet(IMAGE, "depicts", Entity(fact.subject.upper(), concept=fact.subject_id)),)
    sample = Sample("s/1", "s", "", "What is this?", fact.subject, (fact.subject,))
    question = Question("s/1@raw/0", "s/1", "raw", 0, "raw", sample.question, fact.subject, key)
    return Candidate(sample, SampleGraph(sample.id, key, (), key), question, fact)


def test_each_relation_is_held_as_it_was_read_and_makes_these_questions():
    assert [row.relation for row in held()] == list(relations())
    for row in held():
        relation = relations()[row.relation]
        assert (relation.family, "; ".join(marks(relation))) == (row.family, row.marks), row.relation
        phrases = [fill(phrase, THIS) for phrase in relation.phrases]
        asked = [question_of(relation, phrase) or phrase.text for phrase in phrases]
        assert [*asked, *(fill(form, THIS).text for form in relation.forms)] == row.questions.split(" | "), row.relation


def test_a_relation_with_several_objects_is_refused_and_one_that_is_inherited_passes_down():
    for row in held():
        decision = Functional(walk()).decide(candidate(example(row)))
        assert decision.keep is ("several" not in row.marks), row.relation
        if row.below:
            objects = [fact.object for fact in pack().ask(wordnet().synsets(row.below)[0].id, row.relation)]
            assert (row.object in objects) is ("inherited" in row.marks), row.relation


def test_no_module_knows_a_relation_by_name():
    """Looked at are names of several words: those of one (use, fruit) are other things too."""
    names = {name for name in relations() if " " in name}
    for file in PACKAGE.rglob("*.py"):
        nodes = set(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        named = {node for node in nodes if isinstance(node, ast.Constant) and node.value in names}
        rows = [call for call in nodes if named and isinstance(call, ast.Call) and ast.unparse(call.func) in MAKES_ROW]
        examples = {text for row in rows for text in ast.walk(row)}
        assert {node.value for node in named - examples} == set(), file


# The reader

HEAD = "\t".join(COLUMNS)
YOUNG = Relation("young", ("the young of {}",), "young")
FULL = Relation(
    name="sound",
    phrases=("the sound of {}", "what {} says"),
    family="noise",
    forms=("which sound (does) {} make",),
    opener="what do you call",
    synonyms=("noise", "cry"),
    functional=False,
    inherit=True,
    protected=True,
    asked_of="living thing",
    subject=("animal",),
    object=("food",),
)


def table(folder: Path, *lines: str, head: str = HEAD) -> Path:
    file = folder / "relations.tsv"
    file.write_text("".join(f"{line}\n" for line in (head, *lines)), encoding="utf-8")
    return file


def test_a_relation_is_read_from_its_cells(tmp_path):
    cells = ("sound", "the sound of {} | what {} says", "noise", "which sound (does) {} make", "what do you call")
    more = ("noise | cry", "no", "yes", "yes", "living thing", "animal", "food")
    file = table(tmp_path, "young\tthe young of {}\tyoung" + "\t" * 9, "\t".join(cells + more))
    assert read_relations(file) == {"young": YOUNG, "sound": FULL}


def test_what_a_table_lacks_is_as_in_the_one_that_is_known(tmp_path):
    file = table(tmp_path, "sound\tthe cry of {}\tcry", head="name\tphrases\tfamily")
    expected = (("the cry of {}",), "cry", FULL.forms, FULL.asked_of)
    (sound,) = read_relations(file, {"young": YOUNG, "sound": FULL}).values()
    assert expected == (sound.phrases, sound.family, sound.forms, sound.asked_of)


def test_a_bad_row_is_named_by_file_line_and_field(tmp_path):
    head = "name\tphrases\tfamily"
    for more, row, problem in [
        ("", "bark\tthe bark\tsound", "line 2: 'phrases' is 'the bark'; each needs one {} for the subject"),
        ("", "bark\tthe bark of {}\t", "line 2: 'family' is empty; each relation needs one"),
        ("\tforms", "a\tthe a of {}\ta\twhat", "line 2: 'forms' is 'what'; each needs one {} for the subject"),
        ("\tinherit", "a\tthe a of {}\ta\tmaybe", "line 2: 'inherit' is 'maybe'; write 'yes' or 'no'"),
        ("\topener", "a\tthe a of {}\ta\twhy is", "line 2: 'opener' is 'why is'; write 'what is' or 'who is' or"),
        ("\tasked_of", "a\tthe a of {}\ta\tthings", "line 2: 'asked_of' is 'things'; write 'kind' or 'place' or"),
        ("\tsubject", "a\tthe a of {}\ta\tbody parts", "line 2: no kind 'body parts'; add it to kinds.tsv"),
        ("\tcolour", "a\tthe a of {}\ta\tred", "line 1: the columns are"),
        ("\tfamily", "a\tthe a of {}\ta\ta", "line 1: the columns are"),
    ]:
        with pytest.raises(DatasetError) as refusal:
            read_relations(table(tmp_path, row, head=head + more))
        assert str(refusal.value).startswith(f"relations.tsv {problem}"), (more, row, problem)
