"""Questions are read for what they ask of which thing, and that thing is found among those seen."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kbe_graph.datasets.view import Thing, ThingLink, View
from kbe_graph.english.number import singular
from kbe_graph.english.parse import spacy_model_name
from kbe_graph.english.reading import read
from kbe_graph.extract.scene import read_scene, related
from kbe_graph.extract.topic import find_anchors

parsed = pytest.mark.skipif(not spacy_model_name(), reason="no spaCy model is installed")

ASKED = [
    ("What breed of dog is this?", "dog", "breed"),
    ("What kind of plane is shown?", "plane", "kind"),
    ("What animal is this?", "animal", "animal"),
    ("What color is the bus?", "color", "color"),
    ("What brand racket is the player holding?", "racket", "brand"),
    ("What is this object used for?", "", "used for"),
    ("What is the purpose of this room?", "", "purpose"),
    ("What is this animal's habitat?", "", "habitat"),
    ("What does this animal eat?", "", "eats"),
    ("What is the man riding?", "", "riding"),
    ("What are these people doing?", "", "activity"),
    ("What is on the table?", "", "has on it"),
    ("What is the baby of this animal called?", "", "called"),
    ("Who invented this machine?", "", "invented by"),
    ("Where are these fruits grown?", "", "grown in"),
    ("Where would you find this animal?", "", "found in"),
    ("How many teeth does this animal have?", "", "number of teeth"),
    ("How old is this train?", "", "age"),
    ("When was this building built?", "", "built in"),
    ("Why is the street wet?", "", "reason"),
    ("Is this food cooked or raw?", "", "is"),
    ("What military branch do the men belong to?", "military branch", "military branch"),
    ("Name the type of plant this is?", "plant", "kind"),
]


@parsed
@pytest.mark.parametrize(("question", "head", "property_"), ASKED)
def test_a_question_asks_for_a_property_of_a_thing(question, head, property_):
    reading = read(question)
    assert (reading.head.split()[-1:], reading.property) == (head.split()[-1:], property_)


def test_questions_are_read_without_a_model_too():
    code = (
        "import json, sys; from kbe_graph.question import read;"
        "print(json.dumps([[(r := read(q)).property, [a.name for a in r.anchors]] for q in json.load(sys.stdin)]))"
    )
    questions = ["What breed of dog is this?", "What does this animal eat?", "What is the man riding?"]
    found = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(questions),
        env={**os.environ, "KBE_SPACY_MODEL": "none"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(found.stdout) == [["breed", ["dog"]], ["eats", ["animal"]], ["riding", ["man"]]]


def _scene(*names, links=()):
    things = tuple(Thing(name, name, area=100 - place) for place, name in enumerate(names))
    return read_scene([View("scene graph", "x", things, tuple(ThingLink(*link) for link in links))])


@parsed
@pytest.mark.parametrize(
    ("question", "names", "anchor", "how"),
    [
        ("What breed is this dog?", ["man", "dog"], "DOG", "name"),
        ("What are the dogs doing?", ["man", "dog"], "DOG", "name"),
        ("Who makes this racket?", ["man", "tennis racket"], "TENNIS RACKET", "name"),
        ("Who invented the plane?", ["man", "airplane"], "AIRPLANE", "synonym"),
        ("What does this animal eat?", ["tree", "giraffe"], "GIRAFFE", "hypernym"),
        ("What does this animal eat?", ["animal", "giraffe"], "ANIMAL", "name"),
        ("Where does the poodle live?", ["man", "dog"], "DOG", "hyponym"),
        ("How fast is this vehicle?", ["person", "train"], "TRAIN", "field"),
        ("Who plays this sport?", ["man", "skateboard"], "SKATEBOARD", "field"),
        ("What is this used for?", ["man", "kitchen", "oven"], "OVEN", "salient"),
        ("How old is he?", ["horse", "man"], "MAN", "salient"),
        ("Where is this?", ["cat", "beach"], "BEACH", "salient"),
    ],
)
def test_the_thing_asked_about_is_found_by_name_by_kind_or_by_salience(question, names, anchor, how):
    found = next(find_anchors(read(question), _scene(*names)))
    assert (found.entity.name, found.how) == (anchor, how)


@parsed
def test_the_object_that_somebody_holds_is_found_by_the_relation():
    scene = _scene("car", "man", "umbrella", links=[("man", "holding", "umbrella")])
    found = next(find_anchors(read("What is the purpose of the object that the man is holding?"), scene))
    assert (found.entity.name, found.how) == ("UMBRELLA", "relation")


@parsed
@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How many cups does the teapot in the photo hold?", ["sink", "man"]),
        ("Why is the leaf on the ground?", ["frisbee"]),
        ("What is the capital of France?", ["cat"]),
    ],
)
def test_a_question_about_nothing_seen_has_no_anchor(question, names):
    assert next(find_anchors(read(question), _scene(*names)), None) is None


@parsed
def test_of_several_that_fit_the_most_salient_is_taken_and_the_evidence_says_so():
    found = next(find_anchors(read("What does this animal eat?"), _scene("cow", "dog", "tree")))
    assert found.evidence == "asked about as 'animal' (hypernym, the most salient of 2)"


def _human_anchors():
    """Return questions whose thing was named by people, with the labels detected, captions being at hand for none."""
    if "KBE_DATA" not in os.environ:
        pytest.skip("KBE_DATA is not set: the folder that holds s3vqa_okvqa/train_dataset.json.gz")
    file = Path(os.environ["KBE_DATA"]) / "s3vqa_okvqa" / "train_dataset.json.gz"
    items = json.loads(gzip.decompress(file.read_bytes()))[::3]
    return [item for item in items if singular(item["label_hypo"].strip()) in map(singular, item["detections"])]


@parsed
def test_anchors_agree_with_those_that_people_chose_among_noisy_labels():
    items = _human_anchors()
    exact = near = 0
    for item in items:
        things = tuple(Thing(label, label) for label in dict.fromkeys(item["detections"]))
        anchor = next(find_anchors(read(item["question"]), read_scene([View("detection", "x", things)])), None)
        name, chosen = (anchor.entity.name.lower() if anchor else ""), singular(item["label_hypo"].strip())
        exact += name == chosen
        near += bool(name) and (name == chosen or related(name, chosen))
    assert exact / len(items) > 0.49
    assert near / len(items) > 0.62
