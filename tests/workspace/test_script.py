"""The ten lines of the README work as a script, on the demo and, where it is at hand, on a real benchmark."""

import gzip
import json
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from commands import environment

LINES = """
import kbe_graph as kbe
work = kbe.Workspace("W")
work.load({file!r}, name={name!r}, split={split!r})
work.extract({annotations})
run = work.evolve(hops=3, seed=0{more})
for question in run.questions(hop=2):
    print(question.text, "->", question.answer)
print(work.sample({sample!r}))
print(run.statistics())
print(work.graph.cypher("MATCH (q:Question {{hop: 2, status: 'kept'}}) RETURN q.text LIMIT 5"))
print(run.export("evolved.jsonl"))
"""


def script(folder: Path, **values: str) -> str:
    """Run the lines in a folder and return what they print; nothing else may be printed, a warning is an error."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LINES.format(**values)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_the_lines_evolve_the_demo(tmp_path: Path) -> None:
    from kbe_graph import demo

    said = script(
        tmp_path,
        file=str(demo().samples),
        name="demo",
        split="demo",
        annotations=f"scene_graphs={str(demo().scene_graphs)!r}",
        more=", limit=12",
        sample="demo/demo/107438-country",
    )
    assert "? -> " in said
    assert "path     IMAGE -[depicts]-> SCENE" in said
    lines = [json.loads(line) for line in (tmp_path / "evolved.jsonl").read_text().splitlines()]
    assert {line["run"] for line in lines} == {"raw", "seed-0-limit-12"}
    assert said.splitlines()[-1] == str(len(lines))


def test_the_lines_evolve_a_real_benchmark(data: Path, tmp_path: Path) -> None:
    half = data / "okvqa" / "val_dev_half.jsonl.gz"
    detections = data / "s3vqa_okvqa" / "val_detections.json.gz"
    if not (half.exists() and detections.exists()):
        pytest.skip(f"{half} or {detections} is not there")
    with gzip.open(half, "rt") as rows, gzip.open(tmp_path / "okvqa_val.jsonl.gz", "wt") as some:
        some.writelines(islice(rows, 1230, 1290))  # some of these gain a second hop
    said = script(
        tmp_path,
        file="okvqa_val.jsonl.gz",
        name="okvqa",
        split="val",
        annotations=f"detections={str(detections)!r}",
        more=", limit=50",
        sample=first_id(tmp_path / "okvqa_val.jsonl.gz"),
    )
    assert "? -> " in said


def first_id(file: Path) -> str:
    """Return the id of a file's first sample."""
    with gzip.open(file, "rt") as rows:
        row = json.loads(next(rows))
    return f"okvqa/val/{row['question_id']}"
