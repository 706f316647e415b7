import json
import re
import struct
from collections import Counter

from kbe_graph.datasets import read_benchmark
from kbe_graph.datasets.benchmark import demo_files
from kbe_graph.text import fold

FILES = demo_files()
SAMPLES = read_benchmark(FILES.samples, benchmark="demo", split="", images=FILES.images.parent)
GRAPHS = json.loads(FILES.scene_graphs.read_text(encoding="utf-8"))
PHOTOS = sorted(FILES.images.iterdir())
ATTRIBUTION = (FILES.samples.parent / "ATTRIBUTION.md").read_text(encoding="utf-8")


def jpeg_size(photo):
    """Return width and height from the JPEG's frame header (ITU T.81, B.2.2)."""
    content = photo.read_bytes()
    assert content[:2] == b"\xff\xd8"
    assert content[-2:] == b"\xff\xd9"
    at = 2
    while content[at + 1] not in {0xC0, 0xC1, 0xC2}:
        at += 2 + struct.unpack(">H", content[at + 2 : at + 4])[0]
    height, width = struct.unpack(">HH", content[at + 5 : at + 9])
    return width, height


def objects(image_id):
    return GRAPHS[image_id]["objects"]


def test_there_are_enough_samples_and_photos_and_they_are_small():
    assert len(SAMPLES.samples) >= 24
    assert len({sample.image for sample in SAMPLES.samples}) >= 16
    assert SAMPLES.missing_images == ()
    assert sum(file.stat().st_size for file in FILES.samples.parent.rglob("*") if file.is_file()) <= 4_000_000


def test_each_photo_is_a_whole_jpeg_without_metadata_and_has_its_attribution():
    for photo in PHOTOS:
        assert max(jpeg_size(photo)) <= 640, photo
        assert b"Exif" not in photo.read_bytes(), photo
        (row,) = [line for line in ATTRIBUTION.splitlines() if f"`images/{photo.name}`" in line]
        assert re.search(r"<https://farm\d\.staticflickr\.com/\d+/\d+_\w+\.jpg> \| CC BY 2\.0 \|$", row), photo


def test_the_attribution_names_licence_link_and_changes():
    assert "https://creativecommons.org/licenses/by/2.0/" in ATTRIBUTION
    assert "Changes made to every photo" in ATTRIBUTION
    assert ATTRIBUTION.count("| `images/") == len(PHOTOS)


def test_each_sample_has_a_scene_graph_and_each_graph_a_photo():
    assert {sample.image_id for sample in SAMPLES.samples} == GRAPHS.keys()
    assert {photo.stem.lstrip("0") for photo in PHOTOS} == GRAPHS.keys()


def test_boxes_lie_in_the_photo_and_relations_between_its_objects():
    for image_id, graph in GRAPHS.items():
        assert (graph["width"], graph["height"]) == jpeg_size(FILES.images / f"{int(image_id):012}.jpg"), image_id
        for name, thing in objects(image_id).items():
            where = image_id, name
            assert thing["name"] == fold(thing["name"]), where
            assert min(thing["x"], thing["y"]) >= 0, where
            assert min(thing["w"], thing["h"]) > 0, where
            assert thing["x"] + thing["w"] <= graph["width"], where
            assert thing["y"] + thing["h"] <= graph["height"], where
            others = [relation["object"] for relation in thing["relations"]]
            assert name not in others, where
            assert set(others) <= objects(image_id).keys(), where


def test_each_question_or_answer_is_about_an_object_of_the_graph():
    for sample in SAMPLES.samples:
        words = f" {fold(sample.question)} {fold(sample.answer)} "
        names = {thing["name"] for thing in objects(sample.image_id).values()}
        assert any(re.search(rf"\b{re.escape(name)}(?:s|es)?\b", words) for name in names), sample


def test_no_question_holds_its_answer():
    for sample in SAMPLES.samples:
        assert fold(sample.answer) not in fold(sample.question).split(), sample
        assert sample.answer in sample.answers, sample


def test_some_photos_show_two_objects_of_one_name():
    twins = [
        image_id for image_id in GRAPHS if max(Counter(t["name"] for t in objects(image_id).values()).values()) > 1
    ]
    assert len(twins) >= 3


def test_some_answers_are_no_nouns_so_that_re_selection_has_work():
    others = {"green", "red", "blue", "yes", "no", "2", "3", "4"}
    assert len([sample for sample in SAMPLES.samples if sample.answer in others]) >= 5
