"""A benchmark is loaded with its own pictures, and nothing that was loaded changes without a word."""

import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

import kbe_graph as kbe
from kbe_graph.errors import InputError, KbeWarning
from kbe_graph.folder import create_folder
from kbe_graph.store import Address


@pytest.fixture
def work(tmp_path: Path, empty_graph: Address) -> Iterator[kbe.Workspace]:
    work = kbe.Workspace(tmp_path / "W", address=empty_graph, progress=False)
    yield work
    work.close()


def benchmark(folder: Path, answer: str) -> Path:
    (folder / "photos").mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (8, 8), answer).save(folder / "photos" / "1.png")
    row = {"id": "1", "question": "Which colour is it?", "answer": answer, "image": "1.png"}
    (folder / "part.jsonl").write_text(json.dumps(row) + "\n")
    return folder / "part.jsonl"


def test_two_benchmarks_with_pictures_of_one_name_keep_their_own(tmp_path: Path, work: kbe.Workspace) -> None:
    for colour in ("red", "blue"):
        work.load(benchmark(tmp_path / colour, colour), name=colour, images=tmp_path / colour / "photos")
    work.load(tmp_path / "red" / "part.jsonl", name="red")  # which does not name the folder again
    for colour in ("red", "blue"):
        assert work.sample(f"{colour}/all/1").pictures == (tmp_path / colour / "photos" / "1.png",)


def test_shards_with_pictures_of_one_name_have_other_pictures(tmp_path: Path, work: kbe.Workspace) -> None:
    for number, colour in enumerate(("red", "blue")):
        shard = benchmark(tmp_path / colour, colour)
        (tmp_path / colour / "photos" / "1.png").rename(shard.with_name("1.png"))
        shard.write_text(shard.read_text().replace('"id": "1"', f'"id": "{number}"'))
    work.load(f"{tmp_path}/*/part.jsonl", name="two")
    assert {sample.image_id for sample in work.samples()} == {"red/1", "blue/1"}


def test_an_answer_that_reads_differently_is_refused_and_replaced_on_demand(
    tmp_path: Path, work: kbe.Workspace
) -> None:
    file = benchmark(tmp_path, "red")
    work.load(file, name="own")
    benchmark(tmp_path, "blue")
    with pytest.raises(InputError, match="1 loaded samples read differently now, 'own/all/1' first: answer"):
        work.load(file, name="own")
    assert work.samples()[0].answer == "red"
    loaded = work.load(file, name="own", update=True)
    assert (
        loaded.notes.items()
        >= {"samples that read differently, replaced; their graphs are gone, so extract them again": 1}.items()
    )
    assert work.samples()[0].answer == "blue"


def test_picture_folders_of_a_workspace_from_others_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    (pictures / "1.png").write_bytes(b"x")
    sample = kbe.Sample("b/s/1", "b", "s", "What?", "cat", image="1.png")
    folder = create_folder(tmp_path / "W")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "ann"))
    folder.remember_images({sample.id: (pictures,)}, adds=False)
    assert folder.images().of(sample)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "bea"))
    with pytest.warns(KbeWarning, match="another user or machine loaded them; run the same `load` again"):
        assert not folder.images().of(sample)
    folder.remember_images({sample.id: (pictures,)}, adds=False)
    with warnings.catch_warnings(action="error"):
        assert folder.images().of(sample)


def test_pictures_of_rows_are_found_in_the_current_folder_or_told_with_where_they_were_sought(
    tmp_path: Path, work: kbe.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark(tmp_path, "red")
    row = {"question": "Which colour is it?", "answer": "red", "image": "photos/1.png"}
    monkeypatch.chdir(tmp_path)
    assert work.load([row], name="own").notes == {}
    monkeypatch.chdir(tmp_path.parent)
    assert work.sample("own/all/1").pictures == (tmp_path / "photos" / "1.png",)
    ((note, count),) = work.load([row], name="elsewhere").notes.items()
    assert (f"looked for in '{tmp_path.parent}': name their folder with `images`" in note, count) == (True, 1)
    assert work.load([row], name="named", images=tmp_path).notes == {}
