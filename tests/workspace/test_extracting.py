"""What is extracted already is not taken away in silence."""

from pathlib import Path

import pytest
from small_benchmark import load_small_benchmark

import kbe_graph as kbe


def test_extraction_adds_or_says_what_it_replaces(empty_graph: kbe.Address, tmp_path: Path) -> None:
    with kbe.Workspace(tmp_path / "w", address=empty_graph, progress=False) as work:
        load_small_benchmark(work, tmp_path)
        before = list(work.graph.triplets())
        with pytest.raises(kbe.InputError, match=r"a file of scene_graphs, .* Questions and answers alone can"):
            work.extract()
        with pytest.raises(kbe.InputError, match=r"no benchmark 'nosuch'; available: okvqa"):
            work.extract(benchmark="nosuch", captions=tmp_path / "captions.tsv.gz")
        with pytest.raises(kbe.InputError, match=r"replaces 3 graphs .* from captions.tsv.gz, detect.*`replace`"):
            work.extract(detections=tmp_path / "detections.json")
        with pytest.raises(kbe.InputError, match=r"replaces 3 graphs"):
            work.extract(model=kbe.ModelOptions("m", base_url="http://127.0.0.1:9/v1"))
        with pytest.raises(kbe.InputError, match=r"nosuch.tsv: no such file"):
            work.extract(captions=tmp_path / "nosuch.tsv")
        (tmp_path / "other.tsv").write_text("photo1\ta dog\n")
        with pytest.raises(kbe.InputError, match=r"no annotation in 'other.tsv' .* look like 'photo1', .* like '\d+'"):
            work.extract(captions=tmp_path / "other.tsv", replace=True)
        assert list(work.graph.triplets()) == before
        assert work.extract(detections=tmp_path / "detections.json", replace=True).samples == 3
        both = {"captions": tmp_path / "captions.tsv.gz", "detections": tmp_path / "detections.json"}
        assert work.extract(**both).kept == 3
        assert list(work.graph.triplets()) == before


def test_nothing_is_evolved_before_there_is_a_graph(empty_graph: kbe.Address, tmp_path: Path) -> None:
    work = kbe.Workspace(tmp_path / "w", address=empty_graph, progress=False)
    with work, pytest.raises(kbe.InputError, match="no sample has a graph; `load` a benchmark and `extract`"):
        work.evolve(hops=1)
