"""Annotation files as they come on a bad day: each is refused by file, place and field, before a graph is touched."""

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import kbe_here, kept_up

from kbe_graph.datasets.annotations import read_annotations
from kbe_graph.errors import KbeError

OBJECT = {"name": "dog", "relations": []}
REFUSED: list[tuple[str, str, Any, str]] = [
    ("captions", "no JSON", "7 a dog\n", " line 1: no tab after the image id; found '7 a dog"),
    ("captions", "no JSON after the tab", "7\ta dog\n", " line 1: not JSON after the tab ("),
    ("captions", "no caption", '7\t[{"text": "a dog"}]\n', " line 1: no 'caption' field; give COCO's captions"),
    ("captions", "no objects", '7\t["a dog"]\n', " line 1: expected a list of objects after the tab; found"),
    ("captions", "null", '7\t[{"caption": null}]\n', " line 1: 'caption' must be text; found 'None'"),
    ("captions", "bytes", b"7\t\xff\n", " line 1: not UTF-8 text (invalid start byte at byte 3)"),
    ("captions", "an empty list", [], ": holds no captions; give COCO's captions"),
    ("captions", "annotations of another shape", {"annotations": {"a": 1}}, ": holds no captions; give COCO's"),
    ("captions", "numbers in the list", {"annotations": [1, 2]}, ": holds no captions; give COCO's captions"),
    ("captions", "a number", {"annotations": [{"image_id": 7, "caption": 5}]}, " annotations 1: 'caption' must be"),
    ("captions", "1.8 million letters", f'7\t[{{"caption": "{"a dog " * 300_000}"}}]', " line 1: 'caption' has 1,7"),
    ("detections", "a number", "5", " line 1: no tab after the image id; found '5'"),
    ("detections", "a list", [{"detections": ["dog"]}], ": item '1': no 'detections' field; looked for"),
    ("detections", "cut", '{"7": {"detections": ["do', " line 1: not JSON (Unterminated string starting at column"),
    ("detections", "a gzip that is cut", gzip.compress(b'{"7": {"detections": []}}')[:-9], ": broken gzip ("),
    ("detections", "no list", {"7": {"detections": "dog"}}, " item '7': 'detections' must be a list of texts; "),
    ("detections", "numbers", {"7": {"detections": [1, 2]}}, " item '7': 'detections' must be a list of texts; found"),
    ("detections", "numbers as text", {"7": {"detections": ["1"]}}, " item '7': 'detections' holds '1' where a label"),
    ("detections", "a class number", '7\t[{"class": 1, "conf": 0.5}]\n', " line 1: 'class' holds '1' where a label"),
    ("scene_graphs", "objects: a list", {"7": {"objects": [OBJECT]}}, " item '7': 'objects' must be an object of"),
    (
        "scene_graphs",
        "an unknown object",
        {"7": {"objects": {"a": {**OBJECT, "relations": [{"object": "b", "name": "on"}]}}}},
        " item '7': relation 'on' names object 'b', which is not among 'objects'",
    ),
    ("scene_graphs", "no name", {"7": {"objects": {"a": {}}}}, " item '7' objects a: no 'name' field; found nothing"),
    ("instances", "of another shape", {"annotations": {"a": 1}}, ": no list 'categories' of objects; give COCO's"),
    ("instances", "no category", {"annotations": [{"image_id": 7}]}, " annotations 1: no 'category_id' field; give"),
]  # fmt: skip


def written(folder: Path, content: Any) -> Path:
    file = folder / "given"
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def test_it_is_refused_in_one_line_that_names_the_place(tmp_path: Path) -> None:
    for kind, case, content, says in REFUSED:
        file = written(tmp_path, content)
        with pytest.raises(KbeError) as refused:
            read_annotations(**{kind: [file]})
        said = str(refused.value)
        assert said.startswith(f"{file}{says}"), (kind, case)
        assert "\n" not in said, (kind, case)
        assert len(said) < len(str(file)) + 300, (kind, case)


def test_the_command_leaves_the_graphs_that_are_there(demo_made: Path, tmp_path: Path) -> None:
    work = tmp_path / "W"
    shutil.copytree(demo_made / "W", work)
    with kept_up(work):
        before = kbe_here("-w", work, "status", "--json")
        for kind, case, content, says in REFUSED:
            if case in ("no list", "an empty list", "1.8 million letters"):
                text = content if isinstance(content, str) else json.dumps(content)
                file = written(tmp_path, text.replace("7", "107438", 1))
                said = kbe_here("-w", work, "extract", f"--{kind}", file, "--replace", code=1)
                place = says.replace("'7'", "'107438'")
                assert said.startswith(f"error: {file}{place}")
        assert "nothing to extract from" in kbe_here("-w", work, "extract", code=1)
        assert "no benchmark 'nosuch'" in kbe_here(
            "-w", work, "extract", "--benchmark", "nosuch", "--captions", written(tmp_path, "7\t[]\n"), code=1
        )
        assert before == kbe_here("-w", work, "status", "--json")
