"""The table of relations: what each row says, shown by a fact of the pack and the questions the rules make of it."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from filter_cases import walk

from kbe_graph.checks.fact import Functional
from kbe_graph.english.reference import Phrase, fill
from kbe_graph.english.wordnet import wordnet
from kbe_graph.facts.pack import pack
from kbe_graph.facts.relation import Relation, question_of, relations
from kbe_graph.types import IMAGE, Candidate, Entity, Fact, Question, Sample, SampleGraph, Triplet

THIS = Phrase("this one")


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


# The reader
