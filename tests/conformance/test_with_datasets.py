"""datasets loads an export, each hop a configuration, and mlcroissant finds nothing wrong with its description."""

import json
from pathlib import Path

from harnesses import harness, run
from small_release import small_selection

from kbe_graph.export.formats import EXPORTS

_LOAD = """
import json
from datasets import get_dataset_config_names, load_dataset
hops = {name: load_dataset("./out", name, split="test") for name in get_dataset_config_names("./out")}
rows = {name: [[row["id"], row["image"].size, row["answers"]] for row in hop] for name, hop in hops.items()}
print(json.dumps(rows))
"""
_LOAD_MORE = """
import json
from datasets import load_dataset
rows = load_dataset("./out", "hop0", split="test")
print(json.dumps([[image.size for image in (row["image"], *row["more_images"])] for row in rows]))
"""
_VALIDATE = """
import mlcroissant
dataset = mlcroissant.Dataset("out/croissant.json")
print(len(dataset.metadata.ctx.issues.errors), *(sum(1 for _ in dataset.records(f"hop{hop}")) for hop in range(4)))
"""


def test_it_loads_what_was_written(tmp_path: Path) -> None:
    python = harness("datasets")
    selection = small_selection(tmp_path / "pictures")
    EXPORTS.require("huggingface").write(tmp_path / "out", selection)
    hops = json.loads(run(python, "-c", _LOAD, cwd=tmp_path).splitlines()[-1])
    assert [*hops] == ["hop0", "hop1", "hop2", "hop3"]
    assert {row[0] for rows in hops.values() for row in rows} == {question.id for question in selection.questions}
    assert {tuple(row[1]) for rows in hops.values() for row in rows} == {(32, 24)}
    assert hops["hop0"][0][2] == ["giraffe"] * 7 + ["thing"] * 3
    assert run(python, "-c", _VALIDATE, cwd=tmp_path).split() == ["0", "4", "4", "4", "4"]


def test_questions_about_several_pictures_have_all_of_them(tmp_path: Path) -> None:
    python = harness("datasets")
    EXPORTS.require("huggingface").write(tmp_path / "out", small_selection(tmp_path / "pictures", several=True))
    sizes = json.loads(run(python, "-c", _LOAD_MORE, cwd=tmp_path).splitlines()[-1])
    assert sizes == [[[32, 24]] * 2, [[32, 24]] * 2, [[32, 24]], [[32, 24]]]
    assert run(python, "-c", _VALIDATE, cwd=tmp_path).split() == ["0", "4", "4", "4", "4"]
