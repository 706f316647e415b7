"""Samples become graphs: visual, textual and key triplets, each with its source, or a drop with its reason."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from kbe_graph.datasets import read_benchmark
from kbe_graph.datasets.benchmark import demo
from kbe_graph.datasets.view import Thing, ThingLink, View
from kbe_graph.english.parse import spacy_model_name
from kbe_graph.extract import Annotations, extract, extract_all, read_annotations
from kbe_graph.show.question_story import KeyPath
from kbe_graph.types import IMAGE, Drop, Sample, SampleGraph

pytestmark = pytest.mark.skipif(not spacy_model_name(), reason="no spaCy model is installed")


def _extract(question, answer, *views, fact=None):
    sample = Sample("b/s/1", "b", "s", question, answer, (answer,), image_id="7", fact=fact)
    return extract(sample, Annotations({"7": tuple(views)}))


def _caption(text):
    return View("caption", "captions.json#4", evidence=text)


def _labels(*names):
    return View("detection", "labels.json#7", tuple(Thing(name, name) for name in names))


def test_the_key_leads_from_the_image_by_the_thing_asked_about_to_the_answer() -> None:
    for question, answer, caption, path in [
        ("What breed of dog is this?", "collie", "a dog on a couch", "DOG -[breed]-> COLLIE"),
        ("What does this animal eat?", "leaves", "a giraffe by a tree", "GIRAFFE -[eats]-> LEAVES"),
        ("What is the man riding?", "motorcycle", "a man riding a motorcycle", "MAN -[riding]-> MOTORCYCLE"),
        ("What is on the mans face?", "glasses", "a man", "MAN -[has on face]-> GLASSES"),
        ("What does this vehicle use for fuel?", "diesel", "a bus", "BUS -[uses]-> DIESEL"),
        ("What team is the batter playing for?", "dodgers", "a batter", "BATTER -[playing for team]-> DODGERS"),
        ("What animal is this?", "giraffe", "a giraffe", "ANIMAL -[kind]-> GIRAFFE"),
        ("What is this?", "broccoli", "a tray of broccoli", "BROCCOLI"),
        ("What color is the bus?", "red", "a red bus on a road", "BUS -[color]-> red"),
        ("How old is the train?", "20", "a train", "TRAIN -[how old]-> 20"),
        ("What mountain range is this?", "alps", "a sheep on a hill", "MOUNTAIN RANGE -[kind]-> ALPS"),
        ("Where is this?", "alberta", "a man on a slope", "SCENE -[location]-> ALBERTA"),
        ("What country does this animal come from?", "egypt", "a cat", "CAT -[comes from country]-> EGYPT"),
        ("Who makes the guitar on the wall?", "fender", "a guitar", "GUITAR -[made by]-> FENDER"),
    ]:
        assert str(KeyPath(_extract(question, answer, _caption(caption)).key)) == f"IMAGE -[depicts]-> {path}"


def test_a_presupposed_thing_says_so_and_whether_an_annotation_confirms_it():
    unseen = _extract("What mountain range is this?", "alps", _caption("a sheep")).key[0]
    assert (unseen.source, unseen.source_ref) == ("presupposed", "b/s/1")
    assert unseen.evidence.endswith("presupposed as 'mountain range'; no annotation confirms it")
    seen = _extract("Where does the poodle live?", "house", _caption("a dog")).key[0]
    assert seen.evidence.endswith("presupposed as 'poodle'; confirmed by dog")


def test_the_most_salient_thing_is_a_last_resort_and_called_so():
    depicted = _extract("What is this used for?", "cooking", _caption("an oven"), _labels("oven")).key[0]
    assert depicted.object.name == "OVEN"
    assert depicted.evidence.endswith("last resort: the most salient thing, asked about as 'this'")


def test_a_triplet_names_source_place_and_words_and_the_anchor_how_it_was_found():
    depicted, said = _extract("What does this animal eat?", "leaves", _caption("a giraffe by a tree")).key
    assert (depicted.source, depicted.source_ref) == ("caption", "captions.json#4")
    assert depicted.evidence == "a giraffe by a tree; asked about as 'animal' (hypernym)"
    assert (said.graph, said.source, said.source_ref) == ("textual", "question", "b/s/1")


def test_a_thing_that_caption_and_labels_name_is_one_and_two_of_a_name_in_one_annotation_stay_two():
    view = View(
        "scene graph",
        "g#7",
        (Thing("1", "dog", 4), Thing("2", "dog", 9), Thing("3", "cat", 1)),
        (ThingLink("1", "on", "2"),),
    )
    graph = _extract("What is this?", "pet", view, _caption("two dogs and a sofa"), _labels("dog", "couch"))
    names = [triplet.object.label for triplet in graph.visual if triplet.subject == IMAGE]
    assert sorted(names) == ["CAT", "DOG", "DOG #2", "OBJECT", "SOFA"]
    assert "DOG #2|on|DOG" in {f"{one.subject.label}|{one.relation}|{one.object.label}" for one in graph.visual}


def test_attributes_are_in_small_letters_and_a_color_is_no_noun():
    graph = _extract(
        "What is this?", "chair", View("scene graph", "g#7", (Thing("1", "chair", 4, ("red", "wood", "two")),))
    )
    found = {triplet.relation: triplet.object for triplet in graph.visual if triplet.relation != "depicts"}
    assert {relation: (entity.name, entity.noun) for relation, entity in found.items()} == {
        "color": ("red", False),
        "material": ("wood", True),
        "count": ("two", False),
    }


def test_a_visible_thing_is_called_as_the_answer_calls_it():
    graph = _extract("Which vegetable is grown underground?", "carrots", _caption("a carrot and a pepper"))
    assert str(KeyPath(graph.key)) == "IMAGE -[depicts]-> VEGETABLE -[kind]-> CARROTS"
    assert "CARROTS" in {triplet.object.name for triplet in graph.visual}


def test_a_sample_without_a_visual_triplet_is_dropped_with_the_reason():
    drop = _extract("What is the capital of France?", "paris", _caption("a frisbee"))
    assert isinstance(drop, Drop)
    assert drop.reason == "no visual triplet"
    assert _extract("What is this?", "cat").detail == "no annotation of image '7'"


def test_an_answer_that_says_there_is_none_becomes_no_thing() -> None:
    for answer in ["unanswerable", "Unsuitable image"]:
        drop = _extract("What animal is this?", answer, _caption("A giraffe stands by a tree."))
        assert isinstance(drop, Drop)
        assert drop.detail == f"the answer {answer!r} says that there is none"


def _check(sample: Sample, graph: SampleGraph) -> None:
    """Check what holds of every extracted graph: K runs from IMAGE to the answer without a break or a cycle."""
    assert graph.key[0].subject == IMAGE
    if not sample.fact:
        assert all(one.object == two.subject for one, two in pairwise(graph.key))
    subjects = [triplet.subject.key for triplet in graph.key]
    assert graph.key[-1].object.key not in subjects
    assert len(set(subjects)) == len(subjects)
    assert len({triplet.id for triplet in graph.visual}) == len(graph.visual)
    depicted = {triplet.object for triplet in graph.visual if triplet.subject == IMAGE}
    assert {triplet.subject for triplet in graph.visual} <= {IMAGE, *depicted}
    assert all(
        triplet.source and triplet.source_ref and triplet.evidence for triplet in (*graph.visual, *graph.textual)
    )
    assert "image" not in {triplet.object.key for triplet in (*graph.visual, *graph.textual)}


def test_a_picture_has_the_annotations_of_its_own_name_also_if_its_question_has_it(tmp_path: Path) -> None:
    names = ("101", "dog-1", "cats/1.jpg", "dogs/1.jpg")
    (tmp_path / "c.tsv").write_text("".join(f'{name}\t[{{"caption": "a picture {name}"}}]\n' for name in names))
    for name in names:
        sample = Sample(f"b/s/{name if '/' not in name else 1}", "b", "s", "What is it?", "dog", image_id=name)
        (view,) = read_annotations(captions=[tmp_path / "c.tsv"], wanted=set(names)).of(sample)
        assert view.evidence == f"a picture {name}"


def test_every_sample_of_the_demo_gets_a_graph():
    files = demo()
    samples = read_benchmark(files.samples, benchmark="demo", images=files.images).samples
    graphs = list(extract_all(samples, read_annotations(scene_graphs=[files.scene_graphs])))
    assert [graph.detail for graph in graphs if isinstance(graph, Drop)] == []
    for sample, graph in zip(samples, graphs, strict=True):
        _check(sample, graph)


def test_nine_in_ten_questions_of_okvqa_find_what_they_are_about(data: Path):
    samples = read_benchmark(data / "okvqa" / "val_dev_half.jsonl.gz", benchmark="okvqa", split="val").samples[::8]
    annotations = read_annotations(
        captions=[data / "coco_captions_tags" / "VinVL_base_val2014.tsv.gz"],
        detections=[data / "s3vqa_okvqa" / "val_detections.json.gz"],
        wanted={sample.image_id for sample in samples},
    )
    outcomes = list(extract_all(samples, annotations))
    counts = Counter(type(outcome) for outcome in outcomes)
    assert counts[SampleGraph] / len(samples) > 0.9
    for sample, outcome in zip(samples, outcomes, strict=True):
        if isinstance(outcome, SampleGraph):
            _check(sample, outcome)
    backwards = extract_all(samples[::-1], annotations)
    assert list(backwards)[::-1] == outcomes
