"""The links of a question: each edge of its key beyond IMAGE, asked by itself in the words of its relation."""

from collections.abc import Iterator
from typing import NamedTuple

from kbe_graph.english.inflect import article, is_plural, takes_the
from kbe_graph.english.names import as_written
from kbe_graph.english.reference import Phrase, fill, fits, sentence
from kbe_graph.english.seen import is_predicate
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import synset_of
from kbe_graph.facts.relation import question_of, relation_of, relations
from kbe_graph.types import IMAGE, Entity, Question, Sample, Triplet


class LinkQuestion(NamedTuple):
    """An edge as a question: its text, its right answers, and whether it is asked of the picture."""

    text: str
    answers: tuple[str, ...]
    is_seen: bool


def links_of(question: Question, sample: Sample) -> tuple[LinkQuestion, ...]:
    """List the links of an evolved question; empty if its key has only one edge beyond IMAGE.

    The edge that states the benchmark's own question is asked in the benchmark's words.
    """
    edges = [triplet for triplet in question.key if triplet.subject != IMAGE]
    return tuple(_link(edge, question, sample) for edge in edges) if question.hop and len(edges) > 1 else ()


def _link(edge: Triplet, question: Question, sample: Sample) -> LinkQuestion:
    aliases = question.aliases if edge.object == question.end else ()
    if edge.source == "question":
        return LinkQuestion(sample.question, (sample.answer, *sample.agreed), is_seen=True)
    is_seen = edge.graph == "visual"
    name = edge.subject.name.lower() if is_seen else _written(edge.subject)
    is_common = name == edge.subject.name.lower() and wordnet().knows(name)
    phrase = f"the {name}" if is_seen or takes_the(name) else article(name) if is_common else name
    subject = Phrase(phrase, is_plural(name))
    text = next(_texts(edge, subject), f"{subject.text} {edge.relation} what")
    return LinkQuestion(
        sentence(text), tuple(dict.fromkeys((_written(edge.object), *aliases, *_names(edge.object)))), is_seen
    )


def _written(entity: Entity) -> str:
    return as_written(entity.name, others=_names(entity))


def _names(entity: Entity) -> tuple[str, ...]:
    sense = synset_of(entity.concept)
    return tuple(lemma.replace("_", " ") for lemma in sense.lemmas) if sense else ()


def _texts(edge: Triplet, subject: Phrase) -> Iterator[str]:
    name = edge.relation
    if name in relations() or wordnet().knows(name):
        relation = relation_of(relations(), name)
        phrases = (fill(phrase, subject) for phrase in relation.phrases if fits(phrase, subject))
        yield from filter(None, (question_of(relation, phrase) for phrase in phrases))
        yield from (fill(form, subject).text for form in relation.forms if fits(form, subject))
    if is_predicate(edge):
        yield f"what {'are' if subject.plural else 'is'} {subject.text} {name}"
