"""Extraction without a model: a sample and its annotations become G_M, G_T and K (KBE, section 3.2)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kbe_graph.datasets.annotations import Annotations
from kbe_graph.english.names import is_sibling, without_names
from kbe_graph.english.noun import is_noun
from kbe_graph.english.parse import ENGLISH
from kbe_graph.english.reading import Reading, parse_questions, read
from kbe_graph.english.words import words
from kbe_graph.extract.captions import same_name
from kbe_graph.extract.edge import relation_of
from kbe_graph.extract.scene import DEPICTS, Scene, read_scene
from kbe_graph.extract.topic import Anchor, entities_of, find_anchors, scene_topic, topic_of
from kbe_graph.text import fold
from kbe_graph.types import (
    IMAGE,
    PRESUPPOSED,
    RAW,
    Drop,
    Entity,
    Graph,
    Provenance,
    Question,
    Sample,
    SampleGraph,
    Triplet,
    question_id,
)

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


_ARTICLE = re.compile(r"^(?:an?|the)\s+(?=\S)", re.IGNORECASE)

NO_VISUAL = "no visual triplet"
NO_QUESTION = "no question"
_NO_ANSWERS = {"unanswerable", "unsuitable", "unsuitable image", "not answerable"}  # VizWiz and later sets
_TOGETHER = 200


def extract_all(samples: Sequence[Sample], annotations: Annotations) -> Iterator[SampleGraph | Drop]:
    """Yield the result of ``extract`` for each sample in order; questions and captions are parsed in batches."""
    for start in range(0, len(samples), _TOGETHER):
        batch = samples[start : start + _TOGETHER]
        captions = (view.evidence for sample in batch for view in annotations.of(sample) if view.source == "caption")
        parse_questions(sample.question for sample in batch)
        ENGLISH.parse_all(captions)
        yield from (extract(sample, annotations) for sample in batch)


def extract(sample: Sample, annotations: Annotations) -> SampleGraph | Drop:
    """Extract a sample's graph, or a drop if no visible entity is found that the question is about.

    The graph depends only on the sample and the annotations.
    """
    if unanswered := unanswered_drop(sample):
        return unanswered
    views = annotations.of(sample)
    reading = read(sample.question)
    noun = is_noun(sample.question, sample.answer).keep
    scene = read_scene(views, answer=sample.answer if noun else "", sides=reading.asks("side"))
    answer = _answer(sample, scene, noun=noun)
    key = key_of(sample, reading, scene, answer)
    if not key or not (views or sample.fact):
        names = ", ".join(phrase.name for phrase in reading.anchors)
        what = f"nothing in the image for {names or 'the question'}"
        return Drop(sample.id, NO_VISUAL, what if views else f"no annotation of image {sample.image_id!r}")
    return _graph(sample, scene, key, answer)


def unanswered_drop(sample: Sample) -> Drop | None:
    """Build the drop of a sample without a question, or whose answer says that there is none; None for all others."""
    if not sample.question:
        return Drop(sample.id, NO_QUESTION, "a model writes one for a photo: `kbe extract --by model`")
    if fold(sample.answer) not in _NO_ANSWERS:
        return None
    return Drop(sample.id, NO_VISUAL, f"the answer {sample.answer!r} says that there is none")


def _answer(sample: Sample, scene: Scene, *, noun: bool) -> Entity:
    name = _ARTICLE.sub("", sample.answer.strip())
    if noun:
        return scene.find(name) or _unlike_image(Entity(name.upper()))
    same = [seen for seen in scene.things if seen.entity.key.split("#")[0] == Entity(name).key]
    return _unlike_image(Entity(name.lower(), number=len(same) + 1, noun=False))


def _unlike_image(entity: Entity) -> Entity:
    return replace(entity, number=2) if entity.key == "image" else entity


def _graph(sample: Sample, scene: Scene, key: Key, answer: Entity) -> SampleGraph:
    visual = {triplet.id: triplet for triplet in scene.visual}
    visual.update({triplet.id: triplet for triplet in key if triplet.graph == "visual"})
    textual = tuple(triplet for triplet in key if triplet.graph == "textual")
    return SampleGraph(sample.id, tuple(_with(answer, triplet) for triplet in visual.values()), textual, key)


def _with(answer: Entity, triplet: Triplet) -> Triplet:
    return replace(triplet, object=answer) if triplet.object == answer else triplet


def raw_question(sample: Sample, key: Key = ()) -> Question:
    """Build the benchmark's question; its aliases are other names of the answer that at least three annotators gave.

    A text as frequent as the answer, or for another entity of its kind, is a different answer and not an alias: the
    system windows, for mac. ``key`` is that of the sample's graph; a question without one can be asked but not
    explored.
    """
    others = (answer for answer in sample.agreed if answer in sample.rivals or is_sibling(sample.answer, answer))
    another = without_names(sample.answer, others)
    return Question(
        id=question_id(sample.id, RAW, 0),
        sample=sample.id,
        run=RAW,
        hop=0,
        kind="raw",
        text=sample.question,
        answer=sample.answer,
        key=key,
        aliases=tuple(answer for answer in sample.agreed if answer not in another),
        provenance=Provenance("model" if sample.made else "benchmark"),
        status="kept" if key else "loaded",
    )
