"""The key subgraph K of a sample (KBE, section 3.2).

K is the path from IMAGE to the entity that the question is about, followed by the triplet that leads to the answer.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from kbe_graph.english.inflect import comparative
from kbe_graph.english.number import singular
from kbe_graph.english.reading import Reading
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.extract.captions import same_name
from kbe_graph.extract.edge import relation_of
from kbe_graph.extract.scene import DEPICTS, Scene
from kbe_graph.extract.topic import Anchor, entities_of, find_anchors, scene_topic, topic_of
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, PRESUPPOSED, Entity, Graph, Sample, Triplet

# ConceptNet's and DBpedia's relations in FVQA, worded from subject to object and from object to subject.
_NAMES = {
    "usedfor": ("used for", "done with"),
    "transnbhd": ("category", "member"),
    "relatedto": ("related to", "related to"),
    "isa": ("is a", "example"),
    "capableof": ("capable of", "done by"),
    "atlocation": ("found in", "found there"),
    "hasproperty": ("property", "shown by"),
    "hasa": ("has", "part of"),
    "partof": ("part of", "has"),
    "desires": ("desires", "desired by"),
    "receivesaction": ("receives action", "received by"),
    "createdby": ("created by", "creates"),
}


class FactStep(NamedTuple):
    """A fact as one step from a visible entity to another one.

    ``other`` is the answer. If the fact is ``turned``, ``seen`` is the answer, and the step leads from ``other`` to it.
    """

    seen: str
    relation: str
    other: str
    turned: bool


def fact_step(fact: tuple[str, str, str], answer: str, *, answer_seen: bool = False) -> FactStep:
    """Convert a fact into a step that ends in the answer, even if the fact does not name the answer.

    ``answer_seen`` means that the answer is in the image and that the fact's subject may not be.
    """
    subject, relation, object_ = fact
    forth, back = _both_ways(relation)
    if fold(answer) == fold(subject) or (_is_same(answer, subject) and not _is_same(answer, object_)):
        return FactStep(answer, back, object_, turned=True)
    if answer_seen and _is_same(answer, object_):
        return FactStep(answer, forth, subject, turned=True)
    return FactStep(subject, forth, answer, turned=False)


def _both_ways(relation: str) -> tuple[str, str]:
    adjective, mark, way = relation.partition("#")
    if mark:
        more = comparative(adjective) if way == "f" else f"less {adjective}"
        return f"{more} than", f"thing that is {more}"
    return _NAMES.get(fold(relation).replace(" ", ""), (relation, f"{relation} of"))


def _is_same(name: str, other: str) -> bool:
    first, second = (fold(singular(fold(each))) for each in (name, other))
    return first == second or first.endswith(f" {second}") or second.endswith(f" {first}")


Key = tuple[Triplet, ...]


def key_of(sample: Sample, reading: Reading, scene: Scene, answer: Entity) -> Key:
    """Build K in order from IMAGE to the answer; empty if the question is about nothing visible or is negated."""
    if sample.fact:
        return _by_fact(sample, reading, scene, answer)
    topic = scene_topic(reading)
    if topic is None:
        anchors = tuple(find_anchors(reading, scene))
        answered = next((anchor for anchor in anchors if _is_answered(anchor, reading, answer)), None)
        if answered:
            return _identified(sample, reading, answered, scene, answer)
        topic = topic_of(reading, scene, anchors)
    if topic is None:
        return ()
    if topic.entity.key == answer.key:  # an attribute offered by the question is not a visible entity
        return (_depicted(sample, topic, scene),) if answer.noun else ()
    step = _step(sample, reading, topic, scene, answer)
    return () if "not" in step.relation.split() else (*_path(sample, reading, topic, scene), step)


def _is_answered(anchor: Anchor, reading: Reading, answer: Entity) -> bool:
    vague = not reading.head or reading.head.split()[-1] in words("anything")
    asks = reading.identity or (anchor.words == reading.head and not reading.property.startswith("other "))
    return asks and answer in anchor.fitting and (anchor.how != "salient" or vague)


def _is_category(anchor: Anchor) -> bool:
    return anchor.how == "hypernym"


def _identified(sample: Sample, reading: Reading, anchor: Anchor, scene: Scene, answer: Entity) -> Key:
    shown = answer if answer in anchor.fitting else anchor.entity
    depicted = _noting(scene.depicts(shown), anchor)
    category = Entity(anchor.words.upper())
    if not _is_category(anchor) or category in (answer, IMAGE):
        return (
            (depicted,)
            if shown == answer
            else (depicted, _textual(sample, shown, relation_of(reading, anchor), answer))
        )
    seen = f"{depicted.evidence}; {shown.name.lower()} is a kind of {anchor.words}"
    step = _textual(sample, category, relation_of(reading, anchor), answer)
    return replace(depicted, object=category, evidence=seen), step


def _path(sample: Sample, reading: Reading, topic: Anchor, scene: Scene) -> Key:
    others = [
        entity for phrase in reading.anchors for entity in entities_of(phrase, scene) if phrase.name != topic.words
    ]
    by_relation = [triplet for triplet in scene.visual if triplet.object == topic.entity and triplet.subject in others]
    if not by_relation or topic.how in ("presupposed", "scene"):
        return (_depicted(sample, topic, scene),)
    link = min(by_relation, key=lambda triplet: others.index(triplet.subject))
    return scene.depicts(link.subject), _noting(link, topic)


def _depicted(sample: Sample, topic: Anchor, scene: Scene) -> Triplet:
    if any(thing.entity == topic.entity for thing in scene.things):
        return _noting(scene.depicts(topic.entity), topic)
    return Triplet(
        IMAGE, DEPICTS, topic.entity, "visual", PRESUPPOSED, sample.id, f"{sample.question} {topic.evidence}"
    )


def _noting(triplet: Triplet, anchor: Anchor) -> Triplet:
    return replace(triplet, evidence=f"{triplet.evidence}; {anchor.evidence}")


def _step(sample: Sample, reading: Reading, anchor: Anchor, scene: Scene, answer: Entity) -> Triplet:
    relation = relation_of(reading, anchor)
    seen = (
        triplet
        for triplet in scene.links(anchor.entity)
        if same_name(triplet.object.name, answer.name) and _says(triplet.relation, relation, reading.verbs)
    )
    return next(seen, None) or _textual(sample, anchor.entity, relation, answer)


def _says(relation: str, asked: str, verbs: Sequence[str]) -> bool:
    return relation == asked or wordnet().morphy(relation.split(maxsplit=1)[0], "v") in verbs


def _textual(sample: Sample, subject: Entity, relation: str, object_: Entity) -> Triplet:
    evidence = f"{sample.question} {sample.answer}"
    return Triplet(subject, relation, object_, "textual", "question", sample.id, evidence)


def _by_fact(sample: Sample, reading: Reading, scene: Scene, answer: Entity) -> Key:
    fact = sample.fact or ("", "", "")
    picks = reading.kind == "what" and bool(reading.head) and bool(set(reading.pronouns) & words("picture words"))
    answer_seen = scene.find(fact[0]) is None and (picks or scene.find(sample.answer) is not None)
    step = fact_step(fact, sample.answer, answer_seen=answer_seen)
    seen = answer if step.turned else scene.find(step.seen) or Entity(step.seen.upper())
    visual = scene.depicts(seen) if any(thing.entity == seen for thing in scene.things) else None
    depicted = visual or _fact_triplet(sample, IMAGE, DEPICTS, seen, "visual")
    other = Entity(step.other.upper()) if step.turned else seen
    return (
        (depicted,) if other == answer else (depicted, _fact_triplet(sample, other, step.relation, answer, "textual"))
    )


def _fact_triplet(sample: Sample, subject: Entity, relation: str, object_: Entity, graph: Graph) -> Triplet:
    evidence = " ".join(sample.fact or ())
    return Triplet(subject, relation, object_, graph, "supporting fact", sample.id, evidence)
