import pytest
from edit_cases import opened, paint, photo
from loopback_calls import ask
from loopback_server import (
    LoopbackServer,
)
from PIL import Image

from kbe_graph.errors import BudgetReached
from kbe_graph.models import Budget, CallStore, Request, summary
from kbe_graph.models.images import MaskedPicture

SIZE = (96, 64)


def request(words: str = "Put a bucket there.", seed: int = 0, box: tuple[int, ...] = (10, 10, 50, 40)) -> Request:
    mask = Image.new("L", SIZE)
    mask.paste(255, box)
    return Request("edits", (("user", words),), max_tokens=8000, edit=MaskedPicture(photo(SIZE, seed), mask))


def test_a_picture_its_mask_and_the_words_go_as_a_form_and_the_picture_comes_back(store: CallStore) -> None:
    with LoopbackServer(otherwise=paint, key="sk-right-1") as server:
        reply = ask(server, store, request(), key="sk-right-1", body={"quality": "high", "input_fidelity": "high"})
    (asked,) = server.requests
    texts = {name: value.decode() for name, value in asked.form.items() if name not in {"image", "mask"}}
    assert asked.path == "/v1/images/edits"
    assert texts == {
        "model": "m",
        "prompt": "Put a bucket there.",
        "n": "1",
        "size": "96x64",
        "quality": "high",
        "input_fidelity": "high",
    }
    image, mask = opened(asked.form["image"]), opened(asked.form["mask"])
    assert (image.format, image.mode, image.size) == ("PNG", "RGB", SIZE)
    assert (mask.format, mask.mode, mask.size) == ("PNG", "RGBA", SIZE)
    assert (mask.getpixel((20, 20))[3], mask.getpixel((0, 0))[3]) == (0, 255)
    assert (reply.usage, reply.cached) == ((400, 0, 1500), False)


def test_an_edit_is_priced_by_its_tokens_and_held_within_the_budget(store: CallStore) -> None:
    price = {"input": 10, "output": 40}
    with LoopbackServer(otherwise=paint) as server:
        ask(server, store, request(), price=price, budget=Budget(1.0))
        with pytest.raises(BudgetReached, match="may cost"):
            ask(server, store, request(seed=1), price=price, budget=Budget(0.1))
        with pytest.raises(BudgetReached):
            ask(server, store, request(seed=1), budget=Budget(calls=0))
    assert len(server.requests) == 1
    assert summary(store).dollars == pytest.approx((400 * 10 + 1500 * 40) / 1e6)
