import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from perturb_cases import original
from PIL import Image

from kbe_graph.perturb.eligible import Original, first_reason
from kbe_graph.perturb.picture_operations import PICTURE_OPERATIONS
from kbe_graph.perturb.variant import perturb_picture

PHOTO = Path(__file__).parents[2] / "kbe_graph" / "data" / "demo" / "images" / "000000397133.jpg"
ORIGINAL = original("What is the oven used for?", "heating")


class Made(NamedTuple):
    """A changed picture and its steps."""

    content: bytes
    recipe: list[Any]


def made(*names: str, file: Path = PHOTO, seed: int = 0, case: Original = ORIGINAL) -> Made:
    operations = [PICTURE_OPERATIONS[name] for name in names]
    return Made(*perturb_picture(file, operations, case, np.random.default_rng(seed)))


def photo() -> Image.Image:
    with Image.open(PHOTO) as picture:
        return picture.convert("RGB")


def pixels(content: bytes | Path) -> np.ndarray:
    with Image.open(io.BytesIO(content) if isinstance(content, bytes) else content) as picture:
        return np.asarray(picture.convert("RGB")).astype(int)


def test_the_same_seed_gives_the_same_png_and_another_one_another_where_something_is_drawn() -> None:
    before = PHOTO.read_bytes()
    for name, operation in PICTURE_OPERATIONS.items():
        contents = [made(name, seed=seed).content for seed in (7, 7, 8)]
        assert contents[0] == contents[1], name
        assert (len({*contents}) > 1) == operation.is_drawn, name
    assert PHOTO.read_bytes() == before


def test_each_operation_changes_what_its_recipe_says() -> None:
    old = pixels(PHOTO)
    padded, wide, noisy, styled = (made(name) for name in ("pad", "outpaint", "noise", "style"))
    (step,), shape = padded.recipe, pixels(padded.content).shape
    assert shape[1] == round(old.shape[1] * step["scale"])
    assert {*pixels(padded.content)[0, 0]} == {step["grey"]}
    x, y = (round(side * 0.125) for side in (old.shape[1], old.shape[0]))
    assert (pixels(wide.content)[y:-y, x:-x] == old).all()
    assert (pixels(made("invert", "invert").content) == old).all()
    hit = (pixels(noisy.content) != old).any(axis=-1)
    assert hit.mean() == pytest.approx(noisy.recipe[0]["density"], abs=0.002)
    grains = pixels(noisy.content)[hit]
    assert ((grains >= 180).all(axis=-1) | (grains <= 75).all(axis=-1)).all()
    assert 3 < np.abs(old - pixels(styled.content)).mean() < 60
    stream = io.BytesIO()
    photo().save(stream, "JPEG", quality=95, subsampling=0)
    assert (pixels(made("re-encode").content) == pixels(stream.getvalue())).all()


def test_a_turned_photo_is_changed_upright_and_its_notes_are_gone(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = 6, "phone"
    photo().save(tmp_path / "phone.jpg", exif=exif)
    turned = Image.open(io.BytesIO(made("invert", file=tmp_path / "phone.jpg").content))
    assert turned.size == photo().size[::-1]
    assert (turned.getexif(), turned.info) == ({}, {})


def test_an_operation_refuses_questions_whose_answer_it_changes() -> None:
    for text, answer, refusing in [
        ("What animal is this?", "dog", ""),
        ("What color is the car?", "red", "invert style"),
        ("Is it night?", "yes", "invert style"),
        ("What kind of bear is this?", "grizzly", "invert"),
        ("What kind of animal is this?", "bear", ""),
        ("Which country has this flag?", "canada", "invert style"),
        ("What does the sign say?", "stop", "style"),
        ("What brand is the laptop?", "dell", "style"),
        ("What stands on the left?", "vase", "pad outpaint"),
        ("Where is the cat?", "top right corner", "pad outpaint"),
        ("What kind of photo is this?", "portrait", "pad outpaint style"),
        ("What animal is in this picture?", "dog", ""),
        ("What time does the clock show?", "10:10", "style"),
        ("What is the score?", "3-2", "style"),
        ("What bird is this?", "cardinal", "invert"),
        ("Is the grass dead?", "yes", "invert style"),
        ("What does the bird on the board do?", "sing", ""),
    ]:
        refused = {
            name
            for name, operation in PICTURE_OPERATIONS.items()
            if first_reason(original(text, answer), *operation.topics)
        }
        assert refused == set(refusing.split()), (text, answer, refusing)
    assert first_reason(original("Which airline is this?", "Air France"), "stuff") == ""
