"""A variant is a changed picture, changed words, or both, with the recipe that makes it again; or a counted reason."""

import io
import json
from pathlib import Path

import pytest
from edit_cases import original, photo
from PIL import Image

from kbe_graph.perturb.picture_edits import edit_operations
from kbe_graph.perturb.picture_operations import PICTURE_OPERATIONS
from kbe_graph.perturb.text_operations import TEXT_OPERATIONS
from kbe_graph.perturb.variant import (
    METHODS,
    NO_PICTURE,
    SEVERAL_PICTURES,
    Composition,
    make_variant,
    read_compositions,
)


def composition(name: str) -> Composition:
    (read,) = read_compositions([name], PICTURE_OPERATIONS, TEXT_OPERATIONS)
    return read


@pytest.fixture
def file(tmp_path: Path) -> Path:
    photo((320, 240)).save(tmp_path / "a.png")
    return tmp_path / "a.png"


def test_both_picture_and_words_change_and_the_recipe_tells_how(file: Path) -> None:
    before = file.read_bytes()
    variant, content = make_variant(original(), composition("pad+noise+lead-in"), 1, [file])
    steps = json.loads(variant.recipe)
    assert [step["operation"] for step in steps] == ["pad", "noise", "lead-in"]
    assert (variant.status, variant.id) == ("kept", "b/s/1@r/0~pad+noise+lead-in~1")
    assert variant.text != original().question.text
    assert variant.image.endswith(".png")
    assert Image.open(io.BytesIO(content)).format == "PNG"
    assert file.read_bytes() == before


def test_the_same_seed_is_the_same_variant_and_another_seed_another(file: Path) -> None:
    made = [make_variant(original(), composition("pad"), seed, [file]) for seed in (0, 0, 1)]
    assert made[0] == made[1]
    assert made[0].picture != made[2].picture


def test_no_two_seeds_have_the_same_words() -> None:
    for name in ("substitute", "lead-in"):
        case = original("What is the kid on the hill repairing?", "skateboard")
        made = [make_variant(case, composition(name), seed, []).variant for seed in range(10)]
        texts = [each.text for each in made if each.status == "kept"]
        assert len(set(texts)) == len(texts) > 0, name
        assert {each.reason for each in made if each.status != "kept"} <= {"no words that another seed does not have"}


def test_a_picture_that_is_missing_broken_or_one_of_several_is_a_reason(file: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(b"\xff\xd8\xff no picture")
    reasons = [make_variant(original(), composition("pad"), 0, files).variant for files in ([], [file, file], [broken])]
    assert [(each.status, each.reason) for each in reasons] == [
        ("refused", NO_PICTURE),
        ("refused", SEVERAL_PICTURES),
        ("refused", "the picture cannot be read"),
    ]
    assert {(each.recipe, each.image) for each in reasons} == {("[]", "")}


def test_a_question_that_does_not_allow_an_operation_is_refused_and_one_that_fails_a_check_rejected(
    tmp_path: Path, file: Path
) -> None:
    colour = original("What color is the dog?", "brown")
    variant, content = make_variant(colour, composition("invert+lead-in"), 0, [file])
    assert (variant.status, variant.reason) == ("refused", "a colour is asked for or answered")
    assert (variant.text, variant.recipe, content) == (colour.question.text, "[]", b"")
    Image.new("RGB", (64, 64), (128, 128, 128)).save(tmp_path / "grey.png")
    variant, content = make_variant(original(), composition("invert"), 0, [tmp_path / "grey.png"])
    assert (variant.status, variant.reason, content) == ("rejected", "the change cannot be seen", b"")


def test_operations_are_done_pictures_first_with_edits_by_a_model_before_all_others() -> None:
    edits = edit_operations(lambda *_: ({}, _[0]))
    (read,) = read_compositions(["lead-in+pad+expand+add"], {**PICTURE_OPERATIONS, **edits}, TEXT_OPERATIONS)
    assert [each.name for each in (*read.pictures, *read.texts)] == ["add", "expand", "pad", "lead-in"]
    assert [each.name for each in composition("mdk12").pictures] == METHODS["mdk12"].split("+")
    assert [composition(name).is_drawn for name in ("invert", "invert+pad", "lead-in")] == [False, True, True]
