"""The questions of a run as a set, on halves of benchmarks that no rule was made on."""

from pathlib import Path

import pytest

from kbe_graph import Workspace
from kbe_graph.checks.guessable import FEW, SMALL_SHARE

pytestmark = pytest.mark.long
LEAST = {1: (40, 20.0), 2: (8, 5.0)}  # questions and effective last relations by hop


@pytest.fixture(scope="module")
def place(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a run of three hops on A-OKVQA's half."""
    files = [
        data / name
        for name in (
            "aokvqa/val_dev_half.jsonl.gz",
            "coco_captions_tags/VinVL_base_val2014.tsv.gz",
            "s3vqa_okvqa/val_detections.json.gz",
        )
    ]
    if missing := [file for file in files if not file.exists()]:
        pytest.skip(f"{missing[0]} is not there")
    folder = tmp_path_factory.mktemp("set")
    with Workspace(folder) as work:
        work.load(files[0], name="aokvqa", split="val")
        work.extract(captions=files[1], detections=files[2])
        work.evolve(hops=3, seed=0, run="r")
    return folder


def test_the_set_is_varied_and_grows_from_what_the_benchmark_asked(place: Path) -> None:
    with Workspace(place) as work:
        hops = {int(row["hop"]): row for row in work.stats.table("r", what="variety").to_dict("records")}
    for hop, (questions, relations) in LEAST.items():
        row = hops[hop]
        assert row["samples"] >= questions
        assert row["effective relations"] >= relations
        assert row["samples"] < FEW or row["largest chain"] <= SMALL_SHARE
    assert {row["rooted"] for row in hops.values()} == {1.0}
