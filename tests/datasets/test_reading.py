"""Annotation files of every kind become views of images; bad ones are refused with the place."""

import gzip
import json
from pathlib import Path

import pytest

from kbe_graph.datasets.annotations import read_instances, read_scene_graphs
from kbe_graph.datasets.view import Box, ThingLink
from kbe_graph.errors import DatasetError
from kbe_graph.extract import read_annotations
from kbe_graph.types import Sample

GQA = {
    "7": {
        "width": 100,
        "objects": {
            "a": {"name": "man", "w": 10, "h": 20, "relations": [{"object": "b", "name": "riding"}]},
            "b": {"name": "horse", "w": 30, "h": 20, "attributes": ["brown"], "relations": []},
        },
    },
    "8": {"objects": {}},
}
VISUAL_GENOME = [
    {
        "image_id": 1,
        "objects": [
            {"object_id": 5, "names": ["clock"], "attributes": ["green"], "w": 2, "h": 3},
            {"object_id": 6, "name": "street"},
        ],
        "relationships": [{"predicate": "ON", "subject_id": 5, "object_id": 6}],
    }
]
INSTANCES = {
    "images": [{"id": 9}],
    "annotations": [
        {"id": 1, "image_id": 9, "category_id": 17, "area": 12.5},
        {"id": 2, "image_id": 9, "category_id": 17, "area": 30},
        {"id": 3, "image_id": 10, "category_id": 18, "area": 4},
    ],
    "categories": [{"id": 17, "name": "cat"}, {"id": 18, "name": "dog"}],
}
CAPTIONS = {"info": {}, "annotations": [{"id": 4, "image_id": 9, "caption": "A cat on a mat."}]}


def _json(folder, value, name="file.json", *, packed=False):
    file = folder / (f"{name}.gz" if packed else name)
    text = value if isinstance(value, str) else json.dumps(value)
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    return file


def _only(annotations, key):
    (view,) = annotations.views[key]
    return view


def test_a_gqa_scene_graph_gives_things_with_size_attributes_and_relations(tmp_path):
    for packed in [False, True]:
        view = _only(read_annotations(scene_graphs=[_json(tmp_path, GQA, packed=packed)]), "7")
        assert [(thing.name, thing.area, thing.attributes) for thing in view.things] == [
            ("man", 200.0, ()),
            ("horse", 600.0, ("brown",)),
        ], packed
        assert view.links == (ThingLink("a", "riding", "b"),), packed
        assert view.ref.endswith("#7"), packed


def test_a_visual_genome_scene_graph_is_told_by_its_shape(tmp_path):
    view = _only(read_annotations(scene_graphs=[_json(tmp_path, VISUAL_GENOME)]), "1")
    assert [thing.name for thing in view.things] == ["clock", "street"]
    assert view.links == (ThingLink("5", "ON", "6"),)


def test_instances_are_named_by_their_category_wherever_that_stands_in_the_file(tmp_path):
    annotations = read_annotations(instances=[_json(tmp_path, INSTANCES)], wanted={"9"})
    assert [(thing.name, thing.area) for thing in _only(annotations, "9").things] == [("cat", 12.5), ("cat", 30.0)]
    assert "10" not in annotations.views


def test_images_that_a_file_numbers_itself_are_found_by_the_names_of_their_files(tmp_path):
    images = [{"id": 9, "file_name": "x/10.jpg"}, {"id": 10, "file_name": "11.jpg"}]
    captions = {"images": images, "annotations": [{"image_id": 9, "id": 4, "caption": "A cat."}]}
    for wanted, key in [({"9", "10"}, "10"), ({"9"}, "9"), (None, "10")]:
        read = read_annotations(
            instances=[_json(tmp_path, {**INSTANCES, "images": images}, "instances.json")],
            captions=[_json(tmp_path, captions, "captions.json")],
            wanted=wanted,
        )
        assert {view.source for view in read.views[key]} == {"caption", "coco instances"}, wanted


def test_captions_are_kept_word_for_word_with_their_own_id(tmp_path):
    view = _only(read_annotations(captions=[_json(tmp_path, CAPTIONS)]), "9")
    assert (view.evidence, view.ref) == ("A cat on a mat.", "file.json#4")


def test_a_tsv_gives_one_caption_an_image_and_other_images_are_not_parsed(tmp_path):
    lines = '9\t[{"caption": "a cat", "conf": 0.7}]\n10\tnot json\n'
    annotations = read_annotations(captions=[_json(tmp_path, lines, "captions.tsv")], wanted={"9"})
    assert _only(annotations, "9").evidence == "a cat"


def test_captions_are_read_from_tables_lines_and_objects_by_image(tmp_path):
    for name, content in [
        ("a.csv", "image_id,caption\n9,a cat\n9,a pet\n"),
        ("a.csv", 'image,"caption"\n9.jpg,"a cat"\n9.jpg,a pet\n'),
        ("a.csv", "Image File,Caption\n9.jpg,a cat\n9.jpg,a pet\n"),
        ("a.tsv", "9\ta cat\n9\ta pet\n"),
        ("a.txt", "9.jpg#0\ta cat\n9.jpg#1\ta pet\n"),
        ("a.jsonl", '{"image_id": 9, "caption": "a cat"}\n{"image_id": 9, "caption": "a pet"}\n'),
        ("a.json", {"9": ["a cat", "a pet"]}),
        ("a.json", [{"image": "9.jpg", "text": "a cat"}, {"image": "9.jpg", "text": "a pet"}]),
    ]:
        views = read_annotations(captions=[_json(tmp_path, content, name)]).views
        assert sorted(view.evidence for view in views["9"]) == ["a cat", "a pet"], content
    (view,) = read_annotations(captions=[_json(tmp_path, {"9": "a cat", "10": "a dog"})], wanted={"9"}).views["9"]
    assert view.evidence == "a cat"


def test_detected_labels_are_read_by_id_and_from_lines(tmp_path):
    by_id = _json(tmp_path, {"9": {"detections": ["cat", "mat", "cat"]}}, "a.json")
    lines = _json(tmp_path, '11\t[{"class": "bird", "conf": 0.9}]\n', "c.tsv")
    annotations = read_annotations(detections=[by_id, lines])
    names = {key: [thing.name for thing in view.things] for key, (view,) in annotations.views.items()}
    assert names == {"9": ["cat", "mat"], "11": ["bird"]}


def test_labels_by_question_id_belong_to_that_question_alone(tmp_path):
    detections = {
        "77": {"question": "What is this?", "detections": ["cat"]},
        "5": {"question": "Who is that?", "detections": ["dog"]},
    }
    annotations = read_annotations(detections=[_json(tmp_path, detections)])
    mine = Sample("b/s/77", "b", "s", "what is this", "cat", image_id="5")
    other = Sample("b/s/77", "b", "s", "How old is he?", "2", image_id="6")
    assert [view.things[0].name for view in annotations.of(mine)] == ["cat"]
    assert annotations.of(other) == ()


def test_a_question_that_has_the_id_of_its_picture_keeps_the_annotations_of_the_picture(tmp_path):
    captions = {"annotations": [{"image_id": 9, "id": 1, "caption": "A cat on a mat."}]}
    annotations = read_annotations(captions=[_json(tmp_path, captions)])
    sample = Sample("b/s/9", "b", "s", "What is this?", "cat", image_id="9")
    assert [view.evidence for view in annotations.of(sample)] == ["A cat on a mat."]


def test_a_bad_file_is_refused_with_the_place_and_the_way_out(tmp_path):
    for kind, content, message in [
        ("captions", INSTANCES, "no 'caption' field; give COCO's captions"),
        ("captions", [], "holds no captions; give COCO's captions"),
        ("captions", {"annotations": [{"image_id": 9, "caption": 5}]}, "'caption' must be text; found '5'"),
        ("captions", {"annotations": [{"image_id": 9, "caption": "a" * 100001}]}, "'caption' has 100,001 characters"),
        ("detections", {"9": {"detections": "dog"}}, "item '9': 'detections' must be a list of texts; found 'dog'"),
        ("instances", CAPTIONS, "no 'category_id' field; give COCO's instances"),
        ("instances", {**INSTANCES, "categories": [{"id": 17, "name": "cat"}]}, "image 10: category '18' is not among"),
        (
            "instances",
            {"annotations": [{"id": 1, "image_id": 2, "category_id": 3, "area": "big"}]},
            "'area' must be a num",
        ),
        ("scene_graphs", CAPTIONS, "no 'objects' field; looked for"),
        ("scene_graphs", {"7": {"objects": {"a": {"w": 1}}}}, "item '7' objects a: no 'name' field; found 'w'"),
        (
            "scene_graphs",
            {"7": {"objects": {"a": {"name": "man", "relations": [{"object": "z", "name": "on"}]}}}},
            "relation 'on' names object 'z', which is not among 'objects'",
        ),
        ("detections", VISUAL_GENOME, "item '1': no 'detections' field; looked for"),
        ("captions", "9 no tab\n", "captions.txt line 1: no tab after the image id; found '9 no tab"),
        ("captions", '9\t[{"caption": "a"}]\n10\t{broken\n', "captions.txt line 2: not JSON after the tab"),
        ("captions", "", "is empty"),
        ("scene_graphs", '{"7": {"objects": {}},\n"8": nonsense}', "line 2: not JSON"),
    ]:
        file = _json(tmp_path, content, "captions.txt")
        with pytest.raises(DatasetError) as raised:
            read_annotations(**{kind: [file]})
        assert str(file) in str(raised.value), (kind, content, message)
        assert message in str(raised.value), (kind, content, message)


def boxes(file: Path, content: object, reader: object) -> list[Box | None]:
    file.write_text(json.dumps(content))
    return [thing.box for _, view in reader(file) for thing in view.things]  # type: ignore[operator]


def test_a_box_is_read_as_corners_from_each_kind_of_annotation(tmp_path: Path) -> None:
    place = {"x": 10, "y": 20, "w": 30, "h": 40}
    gqa = {"1": {"objects": {"7": {"name": "dog", **place}}}}
    visual_genome = [{"image_id": 1, "objects": [{"object_id": 7, "names": ["dog"], **place}], "relationships": []}]
    rows = [{"id": 1, "image_id": 1, "category_id": 18, "area": 900, "bbox": [10, 20, 30, 40]}]
    coco = {"annotations": rows, "categories": [{"id": 18, "name": "dog"}]}
    corners = [(10.0, 20.0, 40.0, 60.0)]
    assert boxes(tmp_path / "gqa.json", gqa, read_scene_graphs) == corners
    assert boxes(tmp_path / "vg.json", visual_genome, read_scene_graphs) == corners
    assert boxes(tmp_path / "coco.json", coco, read_instances) == corners
