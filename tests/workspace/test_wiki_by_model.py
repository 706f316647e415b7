"""Questions about pictures on pages that a model writes, and a model guesses without the picture."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from small_wiki import ARCHITECTS, bridges

import kbe_graph as kbe
from kbe_graph.wiki.page_steps import WikiStep

TEXT = "Which architect designed the bridge in this image?"
GUESS = "Ada Lind"


class Writer:
    """Asks for the architect of each bridge, names a river where there is one, and guesses one architect always."""

    def __init__(self) -> None:
        self.pictures = 0
        self.asked = 0

    def __call__(self, request: LoopbackRequest) -> LoopbackResponse:
        self.asked += 1
        content = request.json["messages"][-1]["content"]
        self.pictures += isinstance(content, list)
        text = request.text
        if "Never named" not in text:
            numbers = re.findall(r"^(\d+) <<<", text.rpartition("[user]")[2] or text, re.MULTILINE)
            return reply_with(json.dumps({"answers": [{"n": int(each), "a": [GUESS]} for each in numbers]}))
        number, name = re.findall(r"(\d+) <<<architect: (.*?)>>>", text)[-1]
        wrong = [each for each in ARCHITECTS if each != name][:3]
        asked = {"n": int(number), "question": TEXT, "correct_answer": name, "wrong_answers": wrong}
        named = asked | {"question": f"Did {name} build the bridge in this image?"}
        return reply_with(json.dumps({"questions": [asked, named]}))


class Written(NamedTuple):
    """A workspace with questions by a model, the step that made them, and the model."""

    work: kbe.Workspace
    step: WikiStep
    writer: Writer
    model: kbe.ModelOptions
    server: str
    corpus: Path


NONE = WikiStep("", "", 0, 0)


def build(written: Written, name: str = "wiki") -> WikiStep:
    """Build the benchmark, and return its last step."""
    options = {"fetch": True, "local_hosts": True, "server": written.server, "number": 12, "hops": 2}
    return written.work.wiki.build(written.corpus, model=written.model, name=name, **options)[-1]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    folder = tmp_path_factory.mktemp("written")
    work, writer = kbe.Workspace(folder / "W", progress=False), Writer()
    with bridges(folder) as (server, corpus), LoopbackServer(otherwise=writer) as endpoint:
        model = kbe.ModelOptions("writer", base_url=endpoint.url, api_key="key")
        written = Written(work, NONE, writer, model, server.url, corpus)
        yield written._replace(step=build(written))
    work.close()


def test_each_question_follows_from_the_statement_that_the_model_names(written: Written) -> None:
    questions = written.work.questions(run="raw")
    assert {question.text for question in questions} == {TEXT}
    assert all(question.answer.upper() == question.key[-1].object.name for question in questions)
    assert {question.key[-1].relation for question in questions} == {"architect"}
    assert {question.provenance.maker for question in questions} == {"loopback"}
    assert all(question.provenance.calls and question.provenance.prompt for question in questions)


def test_what_is_guessed_without_the_picture_and_what_names_its_answer_are_left_out(written: Written) -> None:
    assert GUESS not in {question.answer for question in written.work.questions(run="raw")}
    assert written.step.left_out["guessed without the picture"] > 0
    assert written.step.left_out["the answer stands in the question"] == 12
    assert written.step.kept == len(written.work.samples(benchmark="wiki"))


def test_the_same_call_asks_nothing_and_changes_nothing(written: Written) -> None:
    asked, before = written.writer.asked, written.work.questions(run="raw")
    again = build(written)
    assert (again.kept, again.new, written.writer.asked) == (written.step.kept, 0, asked)
    assert list(written.work.questions(run="raw")) == list(before)
