"""What a graph was extracted with is told by extract, by status and by the runs over it."""

import hashlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import quick_kbe
from commands import environment, kbe

from kbe_graph.datasets.benchmark import demo_files
from kbe_graph.english.parse import parser_name, spacy_model_name

pytestmark = pytest.mark.skipif(not spacy_model_name(), reason="no spaCy model is installed")
WARNING = "warning: captions are read without spaCy's English model"


def told(workspace: Path, *arguments: object, model: str = "") -> subprocess.CompletedProcess[str]:
    """Run kbe with a model of spaCy's, or none, and return what it says on both streams."""
    environ = environment() | ({"KBE_SPACY_MODEL": model} if model else {})
    command = [quick_kbe.path(), "-w", str(workspace), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environ, timeout=300)


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A workspace with two halves of some of the demo, one read with spaCy's model and one without; the captions' hash.

    Its engine is kept up to save the time of starting it.
    """
    folder = tmp_path_factory.mktemp("halves")
    lines = demo_files().samples.read_text().splitlines(keepends=True)[:16]
    captions = folder / "captions.tsv"
    images = {json.loads(line)["image_id"] for line in lines}
    captions.write_text(
        "".join(f'{id_}\t[{{"caption": "a man and a dog on a red sofa beside an elephant."}}]\n' for id_ in images)
    )
    kbe("-w", folder, "init")
    kbe("-w", folder, "db", "start")
    for name, half, model in (("first", lines[::2], ""), ("second", lines[1::2], "none")):
        (folder / f"{name}.jsonl").write_text("".join(half))
        kbe("-w", folder, "load", folder / f"{name}.jsonl", "--name", name)
        done = told(folder, "extract", "--captions", captions, "--benchmark", name, model=model)
        assert f"read captions with {parser_name() if not model else 'WordNet'}\n" in done.stdout
        assert (WARNING in done.stderr) == bool(model)
    yield folder, hashlib.sha256(captions.read_bytes()).hexdigest()
    kbe("-w", folder, "db", "stop")


def test_a_run_over_graphs_of_different_parsers_is_warned_of(halves: tuple[Path, str]) -> None:
    folder, digest = halves
    done = told(folder, "evolve", "--hops", "1", "--run", "both")
    counts: dict[str, Any] = json.loads(told(folder, "status", "--json").stdout)
    graphs = {one["parser"]: one["samples"] for one in counts["graphs"]}
    assert set(graphs) == {parser_name(), "WordNet"}
    assert "warning: the graphs of run 'both' were read with different parsers (" in done.stderr
    assert all(f"{count} with {parser}" in done.stderr for parser, count in graphs.items())
    manifest = json.loads((folder / ".kbe" / "runs" / "both" / "run.json").read_text())
    assert manifest["graphs"] == counts["graphs"]
    assert [one["files"] for one in manifest["graphs"]] == [[["captions.tsv", digest]]] * 2
    assert [one["by"] for one in manifest["graphs"]] == ["annotations"] * 2
