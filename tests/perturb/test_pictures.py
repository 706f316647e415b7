import io
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from picture_cases import PHOTO, asked
from PIL import Image

from kbe_graph.errors import PictureError
from kbe_graph.files.image import on_white, open_picture
from kbe_graph.perturb.eligible import NotEligible, Original, VariantRejected
from kbe_graph.perturb.picture_operations import PICTURE_OPERATIONS
from kbe_graph.perturb.variant import perturb_picture

ORIGINAL = asked("What is the oven used for?", "heating")


class Made(NamedTuple):
    """A changed picture and its steps."""

    content: bytes
    recipe: list[Any]


def made(*names: str, file: Path = PHOTO, seed: int = 0, original: Original = ORIGINAL) -> Made:
    operations = [PICTURE_OPERATIONS[name] for name in names]
    return Made(*perturb_picture(file, operations, original, np.random.default_rng(seed)))


def photo() -> Image.Image:
    with Image.open(PHOTO) as picture:
        return picture.convert("RGB")


def pixels(content: bytes | Path) -> np.ndarray:
    with Image.open(io.BytesIO(content) if isinstance(content, bytes) else content) as picture:
        return np.asarray(picture.convert("RGB")).astype(int)


def test_the_same_seed_gives_the_same_png_and_another_one_another_where_something_is_drawn() -> None:
    before = PHOTO.read_bytes()
    for name, operation in PICTURE_OPERATIONS.items():
        contents = [made(name, seed=seed).content for seed in (7, 7, 8, 9)]
        assert contents[0] == contents[1], name
        assert (len({*contents}) > 1) == operation.is_drawn, name
        assert contents[0].startswith(b"\x89PNG"), name
    assert PHOTO.read_bytes() == before


def test_pad_keeps_the_shape() -> None:
    (step,), old = made("pad").recipe, photo()
    padded = Image.open(io.BytesIO(made("pad").content))
    assert padded.width == round(old.width * step["scale"])
    assert padded.width / padded.height == pytest.approx(old.width / old.height, rel=0.01)
    assert {*pixels(made("pad").content)[0, 0]} == {step["grey"]}


def test_outpaint_keeps_the_picture_to_the_bit() -> None:
    wide, old = made("outpaint"), pixels(PHOTO)
    x, y = (round(side * 0.125) for side in (old.shape[1], old.shape[0]))
    assert (pixels(wide.content)[y:-y, x:-x] == old).all()


def test_invert_twice_is_the_picture() -> None:
    assert (pixels(made("invert", "invert").content) == pixels(PHOTO)).all()


def test_noise_covers_the_drawn_share_and_leaves_every_other_pixel() -> None:
    for seed in range(5):
        noisy = made("noise", seed=seed)
        hit = (pixels(noisy.content) != pixels(PHOTO)).any(axis=-1)
        assert 0.01 <= noisy.recipe[0]["density"] <= 0.10, seed
        assert hit.mean() == pytest.approx(noisy.recipe[0]["density"], abs=0.002), seed
        grains = pixels(noisy.content)[hit]
        assert ((grains >= 180).all(axis=-1) | (grains <= 75).all(axis=-1)).all(), seed


def test_noise_is_thinner_where_lettering_is_asked_for() -> None:
    sign = asked("What does the sign say?", "stop")
    densities = [made("noise", seed=seed, original=sign).recipe[0]["density"] for seed in range(30)]
    assert max(densities) <= 0.05


def test_style_keeps_the_shape_and_stays_like_the_photo() -> None:
    styled = Image.open(io.BytesIO(made("style").content))
    assert styled.size == photo().size
    difference = np.abs(np.asarray(photo(), int) - np.asarray(styled, int)).mean()
    assert 3 < difference < 60


def test_the_control_is_one_round_of_jpeg() -> None:
    stream = io.BytesIO()
    photo().save(stream, "JPEG", quality=95, subsampling=0)
    assert (pixels(made("re-encode").content) == pixels(stream.getvalue())).all()


def test_a_refused_question_gets_no_picture() -> None:
    with pytest.raises(NotEligible, match=r"^a colour is asked for or answered$"):
        made("pad", "invert", original=asked("What color is it?", "red"))


def test_a_turned_photo_is_changed_upright_and_its_notes_are_gone(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = 6, "phone"
    photo().save(tmp_path / "phone.jpg", exif=exif)
    turned = Image.open(io.BytesIO(made("invert", file=tmp_path / "phone.jpg").content))
    assert turned.size == photo().size[::-1]
    assert (turned.getexif(), turned.info) == ({}, {})


def odd_pictures(folder: Path) -> list[Path]:
    cases = [folder / "cases" / name / "photos" for name in ("04-image-modes", "05-exif-rotated", "06-broken-images")]
    return [file for case in cases for file in sorted(case.iterdir())]


def outcome(name: str, file: Path) -> tuple[bytes, str]:
    try:
        return made(name, file=file).content, ""
    except (NotEligible, VariantRejected, PictureError) as error:
        return b"", str(error)


def test_odd_pictures_are_changed_or_refused_in_one_line(data: Path) -> None:
    for name, file in product(PICTURE_OPERATIONS, odd_pictures(data)):
        content, error = outcome(name, file)
        assert "\n" not in error
        if error:
            continue
        with Image.open(io.BytesIO(content)) as picture, open_picture(file) as upright:
            assert (picture.format, picture.mode, picture.info) == ("PNG", "RGB", {})
            if name == "invert":
                assert (255 - np.asarray(picture) == np.asarray(on_white(upright))).all()


def test_a_small_picture_is_not_painted(tmp_path: Path) -> None:
    Image.new("RGB", (20, 40), "teal").save(tmp_path / "small.png")
    with pytest.raises(NotEligible, match="too small to be painted: 20 x 40"):
        made("style", file=tmp_path / "small.png")
