"""``kbe wiki``: from pages of a local Wikimedia to a benchmark, and what other commands do with it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from commands import kbe_here, kept_up
from small_wiki import BRIDGES, GONE, LIST, bridges
from wikimedia_server import WikimediaServer

pytestmark = pytest.mark.long
STEPS = ["corpus", "items", "statements", "questions"]


class Built(NamedTuple):
    """The workspace of a build, its server and corpus, and what the build said."""

    work: Path
    server: WikimediaServer
    corpus: Path
    said: list[dict[str, Any]]

    def run(self, *arguments: object, code: int = 0) -> str:
        return kbe_here("-w", self.work, *arguments, code=code)

    def build(self, *more: object) -> list[dict[str, Any]]:
        return json.loads(self.run("wiki", "build", self.corpus, *BUILD, self.server.url, *more, "--json"))


BUILD = ("--hops", 2, "--fetch", "--local-hosts", "--server")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    folder = tmp_path_factory.mktemp("wiki")
    kbe_here("-w", folder / "W", "init")
    with kept_up(folder / "W"), bridges(folder) as (server, corpus):
        built = Built(folder / "W", server, corpus, [])
        yield built._replace(said=built.build())


def test_a_build_tells_of_each_step_what_was_kept_and_left_out(built: Built) -> None:
    steps = {step["name"]: step for step in built.said}
    assert list(steps) == STEPS
    assert [step["kept"] for step in built.said[:2]] == [BRIDGES + 3] * 2
    assert steps["questions"]["kept"] == steps["questions"]["new"] > 2 * BRIDGES
    assert steps["questions"]["left_out"]["says little"] > 0
    reasons = json.loads(built.run("status", "--json"))["wiki"]["pictures by reason"]
    assert reasons == {"no such item": 1, "the item is a page of Wikimedia": 1}


def test_the_same_build_offline_asks_nothing_and_finds_the_same(built: Built) -> None:
    asked = len(built.server.asked)
    again = built.build("--offline")
    assert len(built.server.asked) == asked
    assert [step["kept"] for step in again if step["name"] != "items"] == [
        step["kept"] for step in built.said if step["name"] != "items"
    ]
    assert [step["new"] for step in again if step["name"] in {"corpus", "statements", "questions"}] == [0, 0, 0]


def test_each_question_is_exported_with_its_picture_rights_and_statements(built: Built) -> None:
    built.run("export", "jsonl", built.work / "out.jsonl")
    lines = [json.loads(line) for line in (built.work / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == built.said[-1]["kept"]
    for line in lines:
        origin = line["origin"]
        assert [origin[name] for name in ("author", "licence", "maker")] == ["Ann & Bob", "CC BY-SA 4.0", "rule"]
        assert [(each["target"] or each["raw"]) != "" for each in origin["statements"]] == [True]
        assert origin["title"] not in {GONE, LIST}


def test_statements_in_a_row_make_questions_of_two_hops(built: Built) -> None:
    built.run("evolve", "--knowledge", "statements", "--hops", 2, "--seed", 0, "--run", "two")
    built.run("export", "jsonl", built.work / "two.jsonl", "--run", "two")
    lines = [json.loads(line) for line in (built.work / "two.jsonl").read_text(encoding="utf-8").splitlines()]
    asked = [line["question"] for line in lines if line["hop"] == 1 and line["status"] == "kept"]
    phrases = {phrase for text in asked for phrase in (" the architect ", " the river ") if phrase in text}
    assert len(phrases) == 2 < len(asked), asked


# Other sources and faults, each in a graph of its own
