import json
import re

from kbe_graph.datasets import read_benchmark
from kbe_graph.datasets.benchmark import demo
from kbe_graph.text import fold

FILES = demo()
SAMPLES = read_benchmark(FILES.samples, benchmark="demo", split="", images=FILES.images.parent)
GRAPHS = json.loads(FILES.scene_graphs.read_text(encoding="utf-8"))
PHOTOS = sorted(FILES.images.iterdir())
ATTRIBUTION = (FILES.samples.parent / "ATTRIBUTION.md").read_text(encoding="utf-8")


def test_each_photo_is_a_whole_jpeg_without_metadata_and_has_its_attribution():
    for photo in PHOTOS:
        assert b"Exif" not in photo.read_bytes(), photo
        (row,) = [line for line in ATTRIBUTION.splitlines() if f"`images/{photo.name}`" in line]
        assert re.search(r"<https://farm\d\.staticflickr\.com/\d+/\d+_\w+\.jpg> \| CC BY 2\.0 \|$", row), photo


def test_each_sample_has_a_scene_graph_and_each_graph_a_photo():
    assert {sample.image_id for sample in SAMPLES.samples} == GRAPHS.keys()
    assert {photo.stem.lstrip("0") for photo in PHOTOS} == GRAPHS.keys()


def test_no_question_holds_its_answer():
    for sample in SAMPLES.samples:
        assert fold(sample.answer) not in fold(sample.question).split(), sample
        assert sample.answer in sample.answers, sample
