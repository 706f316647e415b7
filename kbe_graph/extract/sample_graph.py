"""Extraction without a model: a sample and its annotations become G_M, G_T and K (KBE, section 3.2)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kbe_graph.datasets.annotations import Annotations
from kbe_graph.english.names import is_sibling, without_names
from kbe_graph.english.noun import is_noun
from kbe_graph.english.parse import ENGLISH
from kbe_graph.english.reading import parse_questions, read
from kbe_graph.extract.key import Key, key_of
from kbe_graph.extract.scene import Scene, read_scene
from kbe_graph.text import fold
from kbe_graph.types import RAW, Drop, Entity, Provenance, Question, Sample, SampleGraph, Triplet, question_id

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
        return Drop(sample.id, NO_QUESTION, "a model writes one for a photo: `kbe extract --by model --mode shapes`")
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
