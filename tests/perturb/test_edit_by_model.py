import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from edit_cases import RED, calls_file, edits_book, opened, original, paint, painted, photo, pixels, png
from PIL import Image

from kbe_graph.datasets.view import Thing
from kbe_graph.errors import BudgetReached, ConfigError, ResourceError
from kbe_graph.models import Budget, ModelBook
from kbe_graph.perturb.operation import NotEligible, PictureOperation, Step
from kbe_graph.perturb.picture_check import picture_fault
from kbe_graph.perturb.picture_recipe import perturb_picture, replay
from kbe_graph.perturb.pictures.addition import addable_things, free_place, unnamed_things
from kbe_graph.perturb.pictures.edit_by_model import Add, Expand, RemoveByModel, operations_by_model
from kbe_graph.perturb.pictures.endpoint_editor import EndpointEditor
from kbe_graph.perturb.pictures.model_edit import ModelEdit, frame_of, paste_back
from kbe_graph.perturb.registry import PICTURE_OPERATIONS
from kbe_graph.testing import (
    LoopbackRequest,
    LoopbackResponse,
    LoopbackServer,
    error_response,
    picture_reply,
)

EDIT_CASES = Path(__file__).parents[1]


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(otherwise=paint) as server:
        yield server


def editor_of(server: LoopbackServer, folder: Path, **settings: Any) -> EndpointEditor:
    return EndpointEditor(edits_book(server, **settings), calls_file(folder))


def prompts_of(server: LoopbackServer) -> list[str]:
    """Return the words of the edits that were asked for, without those of the probe."""
    words = [request.form["prompt"].decode() for request in server.requests if request.method == "POST"]
    return [text for text in words if not text.startswith("Return this picture as it is")]


def draw(
    server: LoopbackServer, folder: Path, operation: type[Any] = Add, *, seed: int = 0, **settings: Any
) -> tuple[Step, Any]:
    with editor_of(server, folder, **settings) as editor:
        drawn = operation(editor)
        step = drawn.draw(original(), photo(), np.random.default_rng(seed))
        return step, drawn.apply(photo(), step)


def test_a_thing_is_put_where_no_box_is_and_all_else_keeps_its_pixels(server: LoopbackServer, tmp_path: Path) -> None:
    step, edited = draw(server, tmp_path)
    left, top, right, bottom = step["box"]
    before, after = pixels(photo()), pixels(edited.picture)
    outside = np.ones(before.shape[:2], dtype=bool)
    outside[top:bottom, left:right] = False
    assert (before[outside] == after[outside]).all()
    assert not edited.changed[outside].any()
    assert edited.changed[top:bottom, left:right].all()
    assert edited.picture.getpixel(((left + right) // 2, (top + bottom) // 2)) == RED
    for thing in original().objects or ():
        assert thing.box is not None
        assert thing.box[2] <= left or thing.box[0] >= right or thing.box[3] <= top or thing.box[1] >= bottom


def test_a_server_is_sent_the_size_of_the_nearest_aspect_that_all_know(server: LoopbackServer, tmp_path: Path) -> None:
    draw(server, tmp_path, body={})
    probe, edit = (request.form for request in server.requests)
    assert (probe["size"], edit["size"]) == (b"1024x1024", b"1536x1024")
    assert opened(edit["image"]).size == opened(edit["mask"]).size == (1536, 1024)


def test_the_recipe_tells_what_was_asked_and_the_hash_of_what_came(server: LoopbackServer, tmp_path: Path) -> None:
    step, _ = draw(server, tmp_path)
    assert set(step) == {"operation", "name", "box", "prompt", "model", "call", "sha256"}
    assert (step["operation"], step["model"]) == ("add", "painter")
    assert prompts_of(server) == [step["prompt"]]
    assert f" {step['name']} " in step["prompt"]
    assert "$" not in step["prompt"]


def test_a_recipe_is_replayed_from_the_kept_bytes_alone(server: LoopbackServer, tmp_path: Path) -> None:
    step, edited = draw(server, tmp_path)
    asked = len(server.requests)
    with editor_of(server, tmp_path) as editor:
        again = operations_by_model(editor)["add"].apply(photo(), step)
        with pytest.raises(ResourceError, match="does not match the recipe"):
            Add(editor).apply(photo(), {**step, "sha256": "0" * 64})
    assert png(again.picture) == png(edited.picture)
    assert len(server.requests) == asked
    with editor_of(server, tmp_path / "elsewhere") as editor, pytest.raises(ResourceError, match="is not stored here"):
        Add(editor).apply(photo(), step)


def test_the_same_seed_asks_once_and_gives_the_same_bytes_in_a_later_command(
    server: LoopbackServer, tmp_path: Path
) -> None:
    first, second = draw(server, tmp_path), draw(server, tmp_path)
    assert first[0] == second[0]
    assert png(first[1].picture) == png(second[1].picture)
    assert len(prompts_of(server)) == 1
    assert draw(server, tmp_path, seed=5)[0]["call"] != first[0]["call"]


@pytest.mark.parametrize("operation", [Add, Expand, RemoveByModel])
def test_the_checks_of_a_picture_pass_its_edits_by_a_model(
    server: LoopbackServer, tmp_path: Path, operation: type[Any]
) -> None:
    _, edited = draw(server, tmp_path, operation)
    assert picture_fault(photo(), edited, operation) == ""


def test_the_scene_is_shown_beyond_the_frame_and_the_picture_stays(server: LoopbackServer, tmp_path: Path) -> None:
    step, edited = draw(server, tmp_path, Expand)
    assert edited.picture.size == (960, 720)
    assert edited.move.box((0, 0, 640, 480)) == (160, 120, 800, 600)
    rim = 8  # at a shorter side of 480, where the mask overlaps the picture
    inner = (160 + rim, 120 + rim, 800 - rim, 600 - rim)
    assert png(edited.picture.crop(inner)) == png(photo().crop((rim, rim, 640 - rim, 480 - rim)))
    assert edited.picture.getpixel((5, 5)) == RED
    assert edited.changed.sum() == 960 * 720 - (640 - 2 * rim) * (480 - 2 * rim)
    sent = opened(server.requests[-1].form["image"])
    assert sent.getpixel((sent.width // 2, 8)) == (127, 127, 127)
    assert step["ratio"] == 1.5


def test_a_thing_that_nothing_speaks_of_is_taken_out_by_the_model_and_by_its_rule_without_one(
    server: LoopbackServer, tmp_path: Path
) -> None:
    with editor_of(server, tmp_path) as editor:
        remove = operations_by_model(editor)["remove"]
        step = remove.draw(original(), photo(), np.random.default_rng(0))
        edited = remove.apply(photo(), step)
        rule_step = {name: step[name] for name in ("operation", "object", "name", "hole", "seed")}
        by_rule = remove.apply(photo(), rule_step)
    assert (step["name"], edited.gone) == ("cup", ("2",))
    assert "Take the cup out" in step["prompt"]
    assert edited.picture.getpixel((520, 325)) == RED
    assert by_rule.picture.getpixel((520, 325)) != RED


@pytest.mark.parametrize(
    ("trouble", "reason", "requests"),
    [
        (error_response(400, "rejected", code="moderation_blocked"), "the endpoint refuses the edit", 1),
        (error_response(403, "flagged by our safety system"), "the endpoint refuses the edit", 1),
        (picture_reply(png(photo((100, 80)))), "the endpoint gives no picture of use (invalid)", 2),
        (picture_reply(b"no picture at all"), "the endpoint gives no picture of use (invalid)", 2),
        (picture_reply(png(photo())[:-9000]), "the endpoint gives no picture of use (invalid)", 2),
        (LoopbackResponse(b'{"data": [{"b64_json": "%%%"}]}'), "the endpoint gives no picture of use (invalid)", 2),
        (LoopbackResponse(b'{"data": []}'), "the endpoint gives no picture of use (no picture)", 2),
        (LoopbackResponse(b'{"data": ['), "the endpoint gives no picture of use (broken)", 3),
    ],
    ids=("moderation", "forbidden words", "size", "bytes", "half", "base64", "no data", "half a body"),
)
def test_an_edit_without_a_picture_of_use_is_a_counted_reason(
    tmp_path: Path, trouble: LoopbackResponse, reason: str, requests: int
) -> None:
    def refuse_things(request: LoopbackRequest) -> LoopbackResponse:
        return trouble if request.form["prompt"].startswith(b"Put ") else paint(request)

    with LoopbackServer(otherwise=refuse_things) as server:
        draw(server, tmp_path, Expand)  # the endpoint has answered
        before = len(server.requests)
        with pytest.raises(NotEligible) as raised:
            draw(server, tmp_path)
    assert str(raised.value) == reason
    assert len(server.requests) - before == requests


class UrlServer(LoopbackServer):
    """Replies with the address of a picture; ``host`` names it, and ``bad`` holds what the first fetches give."""

    def __init__(self, host: str = "127.0.0.1", bad: Sequence[LoopbackResponse] = ()) -> None:
        self.pictures: list[bytes] = []
        self.bad = list(bad)
        self.host = host
        super().__init__(otherwise=self.reply, files=self.give)

    def reply(self, request: LoopbackRequest) -> LoopbackResponse:
        self.pictures.append(png(painted(request)))
        return picture_reply(url=f"http://{self.host}:{self.port}/pictures/{len(self.pictures) - 1}?sig=1")

    def give(self, request: LoopbackRequest) -> LoopbackResponse:
        if self.bad:
            return self.bad.pop(0)
        number = int(request.path.partition("?")[0].rpartition("/")[2])
        return LoopbackResponse(self.pictures[number], headers={"content-type": "image/png"})

    @property
    def fetched(self) -> list[LoopbackRequest]:
        return [request for request in self.requests if request.method == "GET"]


def test_a_picture_behind_an_address_is_fetched_once_without_the_key_and_kept(tmp_path: Path) -> None:
    with UrlServer() as server:
        first = draw(server, tmp_path, key="sk-right-12345")
        asked = len(server.requests)
        second = draw(server, tmp_path, key="sk-right-12345")
    assert png(first[1].picture) == png(second[1].picture)
    assert len(server.requests) == asked == 4  # the probe and the edit, each asked for and fetched
    assert not [request for request in server.fetched if "sk-right" in str(request.headers)]


def test_a_picture_that_cannot_be_fetched_now_is_fetched_later_and_not_paid_again(tmp_path: Path) -> None:
    down = error_response(502, "down")
    with UrlServer() as server:
        draw(server, tmp_path, Expand)
        server.bad += [down] * 3
        with pytest.raises(NotEligible, match=r"no picture of use \(not fetched\)"):
            draw(server, tmp_path)
        _, edited = draw(server, tmp_path)
    assert len(prompts_of(server)) == 2
    assert edited.changed.any()


def test_a_picture_that_is_gone_is_asked_for_anew(tmp_path: Path) -> None:
    with UrlServer() as server:
        draw(server, tmp_path, Expand)
        server.bad += [error_response(404, "expired")]
        draw(server, tmp_path)
    assert len(prompts_of(server)) == 3


def test_an_address_within_a_private_network_is_not_followed(tmp_path: Path) -> None:
    with UrlServer(host="localhost") as server, pytest.raises(NotEligible, match=r"no picture of use \(no picture\)"):
        draw(server, tmp_path)
    assert server.fetched == []


def test_a_new_server_is_asked_once_to_change_nothing_and_what_it_changed_is_told(
    server: LoopbackServer, tmp_path: Path
) -> None:
    told: list[str] = []
    for _ in range(2):
        with EndpointEditor(edits_book(server), calls_file(tmp_path), tell=told.append) as editor:
            Expand(editor).draw(original(), photo(), np.random.default_rng(0))
    (line,) = told
    assert line.startswith(f"{server.url} with model 'painter' changed ")
    assert line.endswith("that a mask protects; only the pixels inside a mask are used")
    mask = opened(server.requests[0].form["mask"])
    assert mask.getchannel("A").getextrema() == (255, 255)
    assert len(server.requests) == 2


def test_a_server_that_refuses_the_probe_is_asked_for_edits_all_the_same(tmp_path: Path) -> None:
    told: list[str] = []
    refusal = error_response(400, "the mask is opaque")
    with (
        LoopbackServer([refusal], otherwise=paint) as server,
        EndpointEditor(edits_book(server), calls_file(tmp_path), tell=told.append) as editor,
    ):
        Expand(editor).draw(original(), photo(), np.random.default_rng(0))
    assert "was asked to change nothing, and returned no picture" in told[0]


def test_many_threads_ask_at_once_and_each_edit_once(tmp_path: Path) -> None:
    with LoopbackServer(otherwise=paint, latency=0.3) as server, editor_of(server, tmp_path) as editor:
        Expand(editor).draw(original(), photo(), np.random.default_rng(0))
        edits = [ModelEdit(photo((320, 240)), (number, 0, 100, 100), "Put a book there.") for number in (1, 2, 3, 4)]
        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(editor.edit, edits * 2))
        assert editor.progress.calls == 6
    assert len(prompts_of(server)) == 5
    assert [picture.call for picture in made[:4]] == [picture.call for picture in made[4:]]
    assert server.most_in_flight >= 3


def test_a_budget_holds_for_edits_too(server: LoopbackServer, tmp_path: Path) -> None:
    budget = Budget(calls=1)
    with (
        EndpointEditor(edits_book(server), calls_file(tmp_path), budget=budget) as editor,
        pytest.raises(BudgetReached),
    ):
        Expand(editor).draw(original(), photo(), np.random.default_rng(0))
    assert prompts_of(server) == []


def test_without_an_endpoint_of_its_own_no_edit_goes_to_that_of_the_chats(tmp_path: Path) -> None:
    book = ModelBook({"base_url": "http://127.0.0.1:9/v1", "model": "chat"}, environ={})
    with pytest.raises(ConfigError, match=r"set base_url, model and key in \[models.edits\]"):
        EndpointEditor(book, calls_file(tmp_path))


def test_a_server_of_one_size_is_sent_that_size(server: LoopbackServer, tmp_path: Path) -> None:
    draw(server, tmp_path, body={"size": "256x256"})
    assert {request.form["size"] for request in server.requests} == {b"256x256"}
    assert {opened(request.form["image"]).size for request in server.requests} == {(256, 256)}
    with pytest.raises(ConfigError, match="size 'big' is not a size"):
        editor_of(server, tmp_path, body={"size": "big"})


@pytest.mark.parametrize("size", [(640, 480), (480, 640), (500, 500), (3000, 200), (70, 900), (1, 1), (1537, 1023)])
def test_a_picture_of_any_shape_comes_back_in_its_own_size(size: tuple[int, int]) -> None:
    picture = photo(size)
    frame = frame_of(size)
    left, top, right, bottom = frame.place
    assert 0 <= left < right <= frame.size[0]
    assert 0 <= top < bottom <= frame.size[1]
    framed = frame.letterbox(Image.new("RGB", size, RED), 127)
    assert frame.crop_back(framed, size).size == size
    edit = ModelEdit(picture, (0, 0, max(1, size[0] // 2), size[1]), "words", feather=2)
    pasted, changed = paste_back(edit, png(framed))
    assert (pasted.size, changed.shape) == (size, size[::-1])
    assert (pixels(pasted)[~changed] == pixels(picture)[~changed]).all()
    assert pasted.getpixel((0, 0)) == RED


def test_a_tiny_picture_is_not_edited(server: LoopbackServer, tmp_path: Path) -> None:
    with editor_of(server, tmp_path) as editor, pytest.raises(NotEligible, match="too small"):
        Expand(editor).draw(original(), photo((20, 20)), np.random.default_rng(0))
    assert server.requests == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("How many dogs are there?", "things are counted"),
        ("What lies in the left corner?", "a place in the frame is asked for or answered"),
        ("What is unusual about the dog?", "the scene, or a thing that stands out, is asked for"),
        ("What room is the dog in?", "the scene, or a thing that stands out, is asked for"),
        ("What is written on the dog's collar?", "lettering or a brand is asked for"),
        ("What does the bird chase?", "no box of a thing that the question is about"),
        ("What does the dog chase?", ""),
    ],
)
def test_nothing_is_added_where_it_could_change_the_answer(text: str, reason: str) -> None:
    assert Add(NO_EDITOR).refuse(original(text)) == reason


def test_nothing_is_added_where_it_is_not_known_what_is_there() -> None:
    unknown = replace(original(), objects=None)
    placeless = replace(original(), objects=(Thing("1", "dog"),))
    assert {Add(NO_EDITOR).refuse(case) for case in (unknown, placeless)} == {"no annotation tells where things are"}
    full = replace(original(), objects=(Thing("1", "dog", box=(0, 200, 640, 480)),))
    with pytest.raises(NotEligible, match="no place is free"):
        Add(NO_EDITOR).draw(full, photo(), np.random.default_rng(0))


class NoEditor:
    """Refuses to work, as where nothing may be asked for."""

    def edit(self, edit: ModelEdit) -> Any:
        raise AssertionError(edit)

    def kept(self, call: str) -> bytes:
        raise AssertionError(call)


NO_EDITOR = NoEditor()


def test_things_that_are_named_by_their_kind_too_are_not_added() -> None:
    names = {thing.name for thing in addable_things()}

    def left_out(**more: Any) -> set[str]:
        return names - {thing.name for thing in unnamed_things(original(**more))}

    assert {"banana", "pineapple", "watermelon"} <= left_out(text="Which fruit is it?", answer="apple")
    assert {"armchair", "stool", "bench"} <= left_out(text="What furniture does the cat lie on?", answer="sofa")
    assert "book" in left_out(objects=(Thing("1", "books", box=(0, 0, 5, 5)),))
    assert "teapot" in left_out(text="What does she pour from?", answer="tea pot")
    assert len(unnamed_things(original())) >= 25


def test_a_place_is_free_of_boxes_and_stands_on_the_ground() -> None:
    boxes = ((0.0, 0.0, 300.0, 480.0), (500.0, 0.0, 640.0, 420.0))
    for seed in range(20):
        place = free_place((640, 480), boxes, 1.0, np.random.default_rng(seed))
        assert place is not None
        left, top, right, bottom = place
        assert bottom >= 360
        assert right <= 640
        assert bottom <= 480
        assert all(right <= box[0] or left >= box[2] or bottom <= box[1] or top >= box[3] for box in boxes)


def test_each_operation_keeps_to_the_contract(server: LoopbackServer, tmp_path: Path) -> None:
    with editor_of(server, tmp_path) as editor:
        operations: dict[str, PictureOperation] = dict(operations_by_model(editor))
    assert list(operations) == ["add", "expand", "remove"]
    assert not any(operation.is_default for operation in operations.values())


INTERRUPTED = """
import sys
sys.path[:0] = sys.argv[3:]
from pathlib import Path
from edit_cases import photo
from kbe_graph.models import ModelBook
from kbe_graph.perturb.pictures.endpoint_editor import EndpointEditor
from kbe_graph.perturb.pictures.model_edit import ModelEdit

own = {"base_url": sys.argv[2], "model": "painter", "body": {"size": "384x256"}}
with EndpointEditor(ModelBook({"edits": own}, environ={}), Path(sys.argv[1])) as editor:
    print(editor.edit(ModelEdit(photo(), (0, 0, 100, 100), "Put a book there.")).call)
"""


def test_an_edit_on_its_way_is_kept_where_the_command_is_interrupted(tmp_path: Path) -> None:
    with LoopbackServer(otherwise=paint, latency=1) as server:
        command = [sys.executable, "-c", INTERRUPTED, str(calls_file(tmp_path)), server.url, str(EDIT_CASES)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as interrupted:
            while not prompts_of(server):
                time.sleep(0.05)
            interrupted.send_signal(signal.SIGINT)
            _, errors = interrupted.communicate(timeout=30)
        again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "KeyboardInterrupt" in errors
    assert len(again.stdout.strip()) == 64
    assert len(prompts_of(server)) == 1


def test_an_edit_by_a_model_joins_others_in_one_recipe_that_gives_the_same_bytes(
    server: LoopbackServer, tmp_path: Path
) -> None:
    file = tmp_path / "photo.png"
    photo().save(file)
    with editor_of(server, tmp_path) as editor:
        operations = {**PICTURE_OPERATIONS, **operations_by_model(editor)}
        chosen = [operations[name] for name in ("add", "invert", "expand")]
        perturbed = perturb_picture(file, chosen, original(), np.random.default_rng(3))
        asked = len(server.requests)
        recipe = json.loads(json.dumps(perturbed.recipe))
        assert replay(file, recipe, operations) == perturbed.content
    assert len(server.requests) == asked == 3
    assert [step["operation"] for step in recipe] == ["add", "invert", "expand"]
    assert next(thing.box for thing in perturbed.objects or ()) == (180.0, 320.0, 340.0, 520.0)
