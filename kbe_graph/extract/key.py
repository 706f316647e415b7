"""The key subgraph K of a sample (KBE, section 3.2).

K is the path from IMAGE to the entity that the question is about, followed by the triplet that leads to the answer.
"""

from dataclasses import replace

from kbe_graph.english.reading import Reading
from kbe_graph.english.words import words
from kbe_graph.extract.captions import same_name
from kbe_graph.extract.edge import relation_of
from kbe_graph.extract.scene import DEPICTS, Scene
from kbe_graph.extract.topic import Anchor, entities_of, find_anchors, scene_topic, topic_of
from kbe_graph.types import IMAGE, PRESUPPOSED, Entity, Graph, Sample, Triplet

Key = tuple[Triplet, ...]


def key_of(sample: Sample, reading: Reading, scene: Scene, answer: Entity) -> Key:
    """Build K in order from IMAGE to the answer; empty if the question is about nothing visible or is negated."""
    if sample.fact:
        return _by_fact(sample, scene, answer)
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


def _identified(sample: Sample, reading: Reading, anchor: Anchor, scene: Scene, answer: Entity) -> Key:
    shown = answer if answer in anchor.fitting else anchor.entity
    depicted = _noting(scene.depicts(shown), anchor)
    category = Entity(anchor.words.upper())
    if anchor.how != "hypernym" or category in (answer, IMAGE):
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
        if same_name(triplet.object.name, answer.name) and triplet.relation == relation
    )
    return next(seen, None) or _textual(sample, anchor.entity, relation, answer)


def _textual(sample: Sample, subject: Entity, relation: str, object_: Entity) -> Triplet:
    evidence = f"{sample.question} {sample.answer}"
    return Triplet(subject, relation, object_, "textual", "question", sample.id, evidence)


def _by_fact(sample: Sample, scene: Scene, answer: Entity) -> Key:
    name, relation, _ = sample.fact or ("", "", "")
    seen = scene.find(name)
    thing = seen or Entity(name.upper())
    depicted = scene.depicts(thing) if seen else _fact_triplet(sample, IMAGE, DEPICTS, thing, "visual")
    return depicted, _fact_triplet(sample, thing, relation, answer, "textual")


def _fact_triplet(sample: Sample, subject: Entity, relation: str, object_: Entity, graph: Graph) -> Triplet:
    evidence = " ".join(sample.fact or ())
    return Triplet(subject, relation, object_, graph, "supporting fact", sample.id, evidence)
