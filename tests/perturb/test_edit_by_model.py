from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from edit_cases import RED, calls_file, edits_book, original, paint, photo, pixels, png
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, error_response, picture_reply
from PIL import Image

from kbe_graph.datasets.view import Thing
from kbe_graph.errors import BudgetReached, ConfigError
from kbe_graph.models import Budget, ModelBook
from kbe_graph.perturb.eligible import NotEligible, Original, VariantRejected, first_reason
from kbe_graph.perturb.picture_edits import Edit, edit_operations, picture_editor
from kbe_graph.perturb.picture_operations import Changed


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(otherwise=paint) as server:
        yield server


def editor_of(server: LoopbackServer, folder: Path, **settings: Any) -> AbstractContextManager[Edit]:
    return picture_editor(edits_book(server, **settings), calls_file(folder))


def draw(server: LoopbackServer, folder: Path, name: str = "add", *, seed: int = 0, **settings: Any) -> Changed:
    with editor_of(server, folder, **settings) as edit:
        return change(edit, name, seed=seed)


def change(edit: Edit, name: str, case: Original | None = None, picture: Any = None, seed: int = 0) -> Changed:
    return edit_operations(edit)[name].change(case or original(), picture or photo(), np.random.default_rng(seed))


def test_an_edit_keeps_all_pixels_outside_its_mask(server: LoopbackServer, tmp_path: Path) -> None:
    step, picture = draw(server, tmp_path)
    left, top, right, bottom = step["box"]
    outside = np.ones(pixels(picture).shape[:2], dtype=bool)
    outside[top:bottom, left:right] = False
    assert (pixels(photo())[outside] == pixels(picture)[outside]).all()
    assert picture.getpixel(((left + right) // 2, (top + bottom) // 2)) == RED
    step, wide = draw(server, tmp_path, "expand")
    assert (wide.size, step["ratio"]) == ((960, 720), 1.5)
    assert png(wide.crop((160, 120, 800, 600))) == png(photo())
    assert wide.getpixel((5, 5)) == RED


def test_a_reply_of_16_bits_is_read_as_pictures_are_everywhere(tmp_path: Path) -> None:
    grey = png(Image.fromarray(np.full((256, 256), 1 << 15, dtype=np.uint16)))
    with LoopbackServer(otherwise=picture_reply(grey)) as server:
        _, picture = draw(server, tmp_path, "expand", body={"size": "256x256"})
    assert pixels(picture)[0, 0].tolist() == [128] * 3


def test_an_edit_is_made_again_from_the_kept_reply_alone(server: LoopbackServer, tmp_path: Path) -> None:
    step, picture = draw(server, tmp_path)
    assert set(step) == {"name", "box", "prompt", "model", "call", "sha256"}
    assert f" {step['name']} " in step["prompt"]
    assert draw(server, tmp_path)[0] == step
    assert png(draw(server, tmp_path)[1]) == png(picture)
    assert len(server.requests) == 1


def test_an_edit_without_a_picture_of_use_is_a_counted_reason(tmp_path: Path) -> None:
    troubles = [
        (error_response(400, "rejected", code="moderation_blocked"), "the endpoint refuses the edit"),
        (picture_reply(png(photo())[:-9000]), "the endpoint gives no picture of use (invalid)"),
        (picture_reply(url="http://127.0.0.1:9/1.png"), "the endpoint gives no picture of use (invalid)"),
    ]
    for number, (trouble, reason) in enumerate(troubles):

        def refuse_things(request: LoopbackRequest, trouble: LoopbackResponse = trouble) -> LoopbackResponse:
            return trouble if request.form["prompt"].startswith(b"Put ") else paint(request)

        with LoopbackServer(otherwise=refuse_things) as server:
            draw(server, tmp_path / str(number), "expand")  # the endpoint has answered
            with pytest.raises(VariantRejected) as raised:
                draw(server, tmp_path / str(number))
        assert str(raised.value) == reason


def test_a_budget_holds_for_edits_too(server: LoopbackServer, tmp_path: Path) -> None:
    with (
        picture_editor(edits_book(server), calls_file(tmp_path), budget=Budget(calls=0)) as edit,
        pytest.raises(BudgetReached),
    ):
        change(edit, "expand")
    assert server.requests == []


def test_without_an_endpoint_of_its_own_no_edit_goes_to_that_of_the_chats(tmp_path: Path) -> None:
    book = ModelBook({"base_url": "http://127.0.0.1:9/v1", "model": "chat"}, environ={})
    unset = pytest.raises(ConfigError, match=r"set base_url, model and key in \[models.edits\]")
    with unset, picture_editor(book, calls_file(tmp_path)):
        pass


def test_nothing_is_added_where_it_could_change_the_answer(server: LoopbackServer, tmp_path: Path) -> None:
    reasons = {
        "How many dogs are there?": "things are counted",
        "What lies in the left corner?": "a place in the frame is asked for or answered",
        "What is unusual about the dog?": "the scene, or a thing that stands out, is asked for",
        "What is written on the dog's collar?": "lettering or a brand is asked for",
        "What does the dog chase?": "",
    }
    with editor_of(server, tmp_path) as edit:
        topics = edit_operations(edit)["add"].topics
        assert {text: first_reason(original(text), *topics) for text in reasons} == reasons
        full = replace(original(), objects=(Thing("1", "dog", box=(0, 200, 640, 480)),))
        for name, case, picture, reason in [
            ("add", replace(original(), objects=()), photo(), "no annotation tells where things are"),
            ("add", replace(original(), objects=(Thing("1", "dog"),)), photo(), "no annotation tells where"),
            ("add", original("What does the bird chase?"), photo(), "no box of a thing that the question is about"),
            ("add", full, photo(), "no place is free"),
            ("expand", original(), photo((20, 20)), "too small"),
        ]:
            with pytest.raises(NotEligible, match=reason):
                change(edit, name, case, picture)
    assert server.requests == []
