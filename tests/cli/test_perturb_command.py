"""``kbe perturb``, and the options of other commands for what it makes."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from commands import kbe_here
from loopback_server import LoopbackServer, reply_with

import kbe_graph as kbe

SOME = ("--image", "pad", "--text", "lead-in", "--seeds", "2", "--sample", "4")


@pytest.fixture
def here(empty_graph: kbe.Address, tmp_path: Path) -> Any:
    demo = kbe.demo()
    run = partial(kbe_here, "-w", tmp_path / "W", address=empty_graph)
    run("init")
    run("load", demo.samples, "--name", "demo", "--split", "demo", "--images", demo.images)
    return run


def test_it_prints_what_was_made_and_why_the_rest_was_not(here: Any) -> None:
    said = here("perturb", "--image", "pad, invert", "--seeds", "1", "--sample", "20")
    assert "20 questions, " in said
    assert "a colour is asked for or answered" in said
    again = here("perturb", "--image", "pad", "--image", "invert", "--seeds", "1", "--sample", "20")
    assert "20 questions, 0 new variants" in again


def test_variants_are_asked_and_exported_by_an_option(here: Any, tmp_path: Path) -> None:
    asked = partial(here, "evaluate", "--json", "--model", "m", "--base-url")
    with LoopbackServer(otherwise=reply_with("a dog")) as server:
        assert "make variants with `perturb`" in asked(server.url, "--variants", code=1)
        here("perturb", *SOME)
        assert json.loads(asked(server.url, "--variants"))["asked"] == 57 + 20
        assert json.loads(asked(server.url, "--variant", "pad"))["new"] == 0
        assert "no variant 'noise'" in asked(server.url, "--variant", "noise", code=1)
        assert len(server.requests) == 57 + 20
    assert "wrote 77 questions" in here("export", "jsonl", tmp_path / "all.jsonl", "--variants")
    assert "wrote 57 questions" in here("export", "jsonl", tmp_path / "raw.jsonl")
    assert "leave out the form" in here("export", "jsonl", tmp_path / "x", "--variants", "--form", "fill", code=1)
