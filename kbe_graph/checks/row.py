"""One row of a table, or one example, as a candidate."""

from typing import NamedTuple

from kbe_graph.english.wordnet import wordnet
from kbe_graph.facts.walk import Walk
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Candidate, Entity, Fact, Question, Sample, SampleGraph, Triplet

Columns = tuple[str, ...]

ASKED: Columns = ("question", "answer")
FACT: Columns = (*ASKED, "subject", "relation", "object")
WORDED: Columns = (*FACT, "text")
CALLED: Columns = (*FACT, "called")


class Row(NamedTuple):
    """A question with its answer, a fact about the answer, the worded question, and the key path between them.

    ``path`` holds names and relations by turns, from what the image shows to the current answer:
    ``giraffe > taxonomic family > Giraffidae``; where it is empty the answer is what the image shows. ``called`` is a
    phrase for the first answer of the path (this animal).
    """

    question: str
    answer: str
    subject: str = ""
    relation: str = ""
    object: str = ""
    text: str = ""
    path: str = ""
    called: str = ""


CHAIN = Row(
    "What flag is that?",
    "United Kingdom",
    "United Kingdom",
    "capital",
    "London",
    path="Ireland > only neighbour > United Kingdom",
)
"""A chain and a fact that goes on from it: what several checks pass, and of which they refuse another fact."""


def candidate(row: Row, walk: Walk) -> Candidate:
    """Return the row as a candidate; names become concepts by facts that hold of them, else by their first sense."""
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
    return Fact(subject_id, row.subject or row.answer, row.relation, thing.concept, row.object, "table")
