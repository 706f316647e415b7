import json
from pathlib import Path

from kbe_graph.datasets.scene_annotations import read_instances, read_scene_graphs
from kbe_graph.datasets.view import Box


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


def test_a_file_without_boxes_or_with_odd_ones_is_read_as_before(tmp_path: Path) -> None:
    category = [{"id": 18, "name": "dog"}]
    for bbox in (None, [], [1, 2, 3], "1 2 3 4", [1, 2, 0, 4], [1, 2, True, 4]):
        row = {"id": 1, "image_id": 1, "category_id": 18, "bbox": bbox}
        assert boxes(tmp_path / "coco.json", {"annotations": [row], "categories": category}, read_instances) == [None]
    graph = {"1": {"objects": {"7": {"name": "dog", "w": 3, "h": 4}}}}
    assert boxes(tmp_path / "gqa.json", graph, read_scene_graphs) == [None]
