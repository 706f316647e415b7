"""Table rows as candidates over the packaged facts, for the tests of the checks."""

from functools import cache

from kbe_graph.checks import Check
from kbe_graph.checks.chain import Detour, Shortcut
from kbe_graph.checks.check import Row
from kbe_graph.english.wordnet import wordnet
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.facts.pack import pack
from kbe_graph.facts.walk import Walk
from kbe_graph.text import fold
from kbe_graph.types import (
    IMAGE,
    Candidate,
    Decision,
    Entity,
    Fact,
    Question,
    Sample,
    SampleGraph,
    Triplet,
)

BORDER, ISLES = Detour.refused, Shortcut.refused


@cache
def walk() -> Walk:
    """Load the packaged facts, once per process."""
    return Walk(pack())


def candidate(row: Row, walk: Walk) -> Candidate:
    """Build a candidate from a row; names become concepts that have matching facts, or else their first sense."""
    path = [part.strip() for part in row.path.split(">")] if row.path else [row.answer]
    key = _key(path, row.relation, walk)
    last = key[-1].object
    question = Question(
        id="row@table/0",
        sample="row",
        run="table",
        hop=len(key) - 1,
        kind="raw" if len(key) == 1 else "explored",
        text=row.question,
        answer=row.answer,
        key=key,
        concept=last.concept,
    )
    sample = Sample("row", "table", "", row.question, row.answer, (row.answer,))
    graph = SampleGraph("row", key[:1], key[1:], key)
    called = (row.called,) if row.called else ()
    return Candidate(sample, graph, question, _fact(row, last, walk), row.text, called)


def _key(path: list[str], relation: str, walk: Walk) -> tuple[Triplet, ...]:
    names, relations = path[::2], path[1::2]
    onward = (*relations, relation)
    concept = _concept(names[0], onward[0], walk)
    subject = Entity(names[0].upper(), concept=concept)
    key = [Triplet(IMAGE, "depicts", subject, "visual", "table")]
    for name, step in zip(names[1:], relations, strict=False):
        object_ = _object(subject.concept, step, name, walk)
        key.append(Triplet(subject, step, object_, "textual", "table"))
        subject = object_
    return tuple(key)


def _concept(name: str, relation: str, walk: Walk) -> str:
    senses = [synset.id for synset in wordnet().lookup(name).synsets]
    subjects = (sense for sense in senses if walk.step(sense, relation))
    return next(subjects, senses[0] if senses else "")


def _object(subject: str, relation: str, name: str, walk: Walk) -> Entity:
    objects = (concept for concept in walk.step(subject, relation) if fold(name) in walk.names(concept))
    return Entity(name.upper(), concept=next(objects, "") or _concept(name, "", walk))


def _fact(row: Row, subject: Entity, walk: Walk) -> Fact:
    thing = _object(subject.concept, row.relation, row.object, walk)
    same = fold(row.subject or row.answer) == fold(subject.name)
    subject_id = subject.concept if same else _concept(row.subject, row.relation, walk)
    words = (subject_id, row.subject or row.answer, row.relation, thing.concept, row.object, "table")
    return ProposedFact(*words, type=row.type) if row.type else Fact(*words)


def case(row: Row) -> Candidate:
    """Convert a row to a candidate."""
    return candidate(row, walk())


def decide(chosen: Check, row: Row) -> Decision:
    """Apply a check to a row."""
    return chosen.decide(case(row))
