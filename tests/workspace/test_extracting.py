"""What is extracted already is not taken away in silence."""

from pathlib import Path

import pytest
from loopback_server import LoopbackServer
from PIL import Image
from shaped_model import PLANE, Model
from small_benchmark import load_small_benchmark

import kbe_graph as kbe
from kbe_graph.errors import KbeWarning
from kbe_graph.workspace.benchmarks import Extracted


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
        with pytest.raises(kbe.InputError, match=r"replaces 3 graphs that were extracted by captions.tsv.gz, detect"):
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


def photos(folder: Path, names: str) -> Path:
    for shade, name in enumerate(names):
        Image.new("RGB", (64, 48), (shade, 0, 0)).save(folder / f"{name}.png")
    return folder


def pictured() -> Model:
    """A model that recognises nothing, so that there is one call a photo."""
    return Model(see={"visual": [PLANE], "textual": [], "about": "V1", "key": ["V1"], "q": "What is it?", "a": "plane"})


def test_pictures_that_are_gone_take_no_graph_away(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    folder, model = photos(tmp_path / "photos", "abc"), pictured()
    with LoopbackServer(otherwise=model) as server, kbe.Workspace(tmp_path / "W", progress=False) as work:
        work.load(folder)
        asked = kbe.ModelOptions("m", base_url=server.url)
        assert work.extract(model=asked).kept == 3
        before = list(work.graph.triplets())
        (folder / "a.png").unlink()
        (folder / "b.png").write_bytes((folder / "b.png").read_bytes()[:60])
        extracted = work.extract(model=asked)
        assert (extracted.kept, extracted.stayed, len(extracted.unreadable)) == (3, 2, 2)
        assert [why for why in extracted.unreadable if "a.png" in why and "add the folder" in why]
        Image.new("RGB", (64, 48), "white").save(folder / "d.png")
        work.load(folder, update=True)
        folder.rename(tmp_path / "moved")
        with pytest.raises(
            kbe.InputError, match=r"nothing was extracted: pictures .* \(4\): no image .a.png.*; \.\.\."
        ):
            work.extract(model=asked)
        assert list(work.graph.triplets()) == before
        assert [sample.id for sample in work.samples(status="dropped")] == ["photos/all/d"]
        assert work.extract(model=kbe.ModelOptions("m", base_url=server.url, images=tmp_path / "moved")).stayed == 2
    assert model.steps == ["see"] * 4


def test_graphs_of_another_model_or_source_are_replaced_only_on_request(tmp_path: Path) -> None:
    folder, model = photos(tmp_path, "ab"), pictured()
    with LoopbackServer(otherwise=model) as server, kbe.Workspace(tmp_path / "W", progress=False) as work:
        work.load(folder)

        def extract(name: str, *, replace: bool = False, **options: int) -> Extracted:
            return work.extract(model=kbe.ModelOptions(name, base_url=server.url, **options), replace=replace)

        with pytest.raises(kbe.BudgetReached):
            extract("first", max_calls=1)
        assert extract("first", max_calls=1).kept == 2
        with LoopbackServer(otherwise=model) as moved, pytest.warns(KbeWarning, match="kept from"):
            assert work.extract(model=kbe.ModelOptions("first", base_url=moved.url)).kept == 2
        with pytest.raises(kbe.InputError, match=r"replaces 2 graphs that were extracted by first; .*`replace`"):
            extract("second")
        assert len(model.steps) == 2
        assert extract("second", replace=True).kept == 2
        (tmp_path / "c.tsv").write_text("a\ta dog\n")
        with pytest.raises(kbe.InputError, match=r"replaces 2 graphs that were extracted from model loopback"):
            work.extract(captions=tmp_path / "c.tsv")
    assert len(model.steps) == 4
