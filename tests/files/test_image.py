"""Regular files alone are pictures: whatever else stands in a folder is told as missing, and never waited for."""

import json
from pathlib import Path

import pytest
from hostile_files import NO_FILES, ends_soon
from PIL import Image

from kbe_graph.datasets import read_benchmark
from kbe_graph.errors import InputError, PictureError
from kbe_graph.export.selection import PictureFinder
from kbe_graph.files.image import ImageFolders, read_picture
from kbe_graph.models.images import Encoding, Images, encode_jpeg
from kbe_graph.show.sample_story import SampleStory, picture_data
from kbe_graph.types import Sample

USUAL = Encoding(768, 85)


@pytest.fixture(params=NO_FILES)
def odd(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a picture's path where something else stands."""
    monkeypatch.chdir(tmp_path)
    NO_FILES[request.param](tmp_path / "1.jpg")
    return tmp_path / "1.jpg"


def test_it_is_told_as_a_missing_image(odd: Path) -> None:
    for image in ["1.jpg", "0000000001.jpg", "1"]:
        Image.new("RGB", (8, 8)).save(odd.with_name("2.jpg"))
        rows = [
            {"id": n, "question": "What?", "answer": "dog", "image": name} for n, name in enumerate((image, "2.jpg"))
        ]
        (odd.parent / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        with ends_soon():
            benchmark = read_benchmark(odd.parent / "b.jsonl", benchmark="b")
        assert benchmark.missing_images == (image,), image
        assert benchmark.outside_images == (), image


def test_it_is_no_picture_for_anybody_who_opens_one(odd: Path) -> None:
    sample = Sample("b/all/1", "b", "all", "What?", "dog", ("dog",), "1.jpg", "1")
    with ends_soon():
        for read in (read_picture, lambda path: encode_jpeg(path, USUAL), Images().sha256):
            with pytest.raises(PictureError, match=r"1\.jpg: picture cannot be read"):
                read(odd)
        with pytest.raises(PictureError, match="picture cannot be read"):
            Images().uri(odd, USUAL)
        assert ImageFolders((odd.parent,)).find("1.jpg") is None
        assert PictureFinder(ImageFolders((odd.parent,))).find(sample) == ()
        assert picture_data(odd, USUAL) == ""
        assert "picture not found" in SampleStory(sample, (), (odd,))._repr_html_()


def test_a_name_is_that_of_one_file_and_its_folders_count(tmp_path: Path) -> None:
    for number, name in enumerate(
        ["cats/1.png", "000000000007.jpg", "8.png", "COCO_val2014_000000000008.jpg", "9.png"]
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.new("RGB", (8, 8), (number, 0, 0)).save(tmp_path / name)
    cats, photos = ImageFolders((tmp_path / "cats",)), ImageFolders((tmp_path,))
    for folders, name, found in [
        (cats, "cats/1.png", "cats/1.png"),
        (cats, "pets/cats/1.png", "cats/1.png"),
        (cats, "dogs/1.png", None),
        (cats, "dogs/1", None),
        (photos, "1.png", None),
        (photos, "7.png", None),
        (photos, "7", "000000000007.jpg"),
        (photos, "COCO_val2014_000000000007.jpg", "000000000007.jpg"),
        (photos, "9", "9.png"),
        (photos, "9.jpg", None),
        (photos, "x" * 5000, None),
        (photos, "x" * 300 + "/1", None),
    ]:
        assert folders.find(name) == (tmp_path / found if found else None), name
    with pytest.raises(InputError, match="two pictures are called '8'"):
        photos.find("8")
