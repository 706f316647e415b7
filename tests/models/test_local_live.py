"""A real model: llama.cpp's server with SmolLM2 and the computed projector. It shows the machinery, not quality."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_model import LocalServer, draw_mosaic, local_book, local_server, weights_file

from kbe_graph.errors import ResourceError
from kbe_graph.models import CallStore, DirectModel, Reply, Request

try:
    weights_file()
except ResourceError as missing:
    pytest.skip(str(missing), allow_module_level=True)

pytestmark = [pytest.mark.long, pytest.mark.ci]
# a turn as the examples of a prompt are: what a picture stands for in words, and what is said of it
SHOWN = (("user", " leaf stone bird lamp\n\nWhat is in the picture?"), ("assistant", "leaf stone bird lamp"))
READ = "\nWhat is in the picture?"
FEW = 24  # tokens of a reply: a model this small comes to no end of a form in five times as many


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    with local_server(tmp_path_factory.mktemp("local")) as server:
        yield server


@pytest.fixture
def calls(tmp_path: Path) -> Iterator[CallStore]:
    calls = CallStore(tmp_path / "calls.sqlite")
    yield calls
    calls.close()


def ask(server: LocalServer, calls: CallStore, *requests: Request) -> list[Reply]:
    async def asked() -> list[Reply]:
        async with DirectModel(local_book(server, max_tokens=FEW), calls) as model:
            return [await model.ask(request) for request in requests]

    return asyncio.run(asked())


def test_the_icons_of_a_picture_are_read_aloud_and_a_form_is_taken(
    server: LocalServer, calls: CallStore, tmp_path: Path
) -> None:
    draw_mosaic(["door", "book", "clock", "chair"]).save(tmp_path / "picture.png")
    look = Request("look", (*SHOWN, ("user", READ)), images=(tmp_path / "picture.png",), max_tokens=12)
    form = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    seen, formed = ask(server, calls, look, Request("verify", (("user", "Is ice cold?"),), schema=form))
    assert seen.text.split() == ["door", "book", "clock", "chair"]
    assert seen.model == server.model
    assert json.loads(formed.text)["ok"] in {True, False}
