"""A model asked again: with each rotation of the options, as circular sets do, and the same question once more."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from PIL import Image

import kbe_graph as kbe
from kbe_graph.store import Address

ROWS = {"241": ("circle", "square", "star", "moon"), "242": ("red", "blue"), "243": ("dog", "cat")}
RIGHT = {"241": "square", "242": "red", "243": "cat"}


def turned(id_: str, turns: int) -> tuple[str, ...]:
    options = ROWS[id_]
    return options[turns:] + options[:turns]


@pytest.fixture
def work(tmp_path: Path, empty_graph: Address) -> kbe.Workspace:
    Image.new("RGB", (80, 80), "red").save(tmp_path / "1.jpg")
    rows = [
        {"id": id_, "question": f"Which {id_}?", "choices": options, "answer": RIGHT[id_], "image": "1.jpg"}
        for id_, options in ROWS.items()
    ]
    work = kbe.Workspace(tmp_path / "W", address=empty_graph, progress=False)
    assert work.load(rows, name="mmbench", split="dev", images=tmp_path).samples == 3
    return work


def letter_of(id_: str, turns: int, option: str) -> str:
    return "ABCD"[turned(id_, turns).index(option)]


def said() -> dict[tuple[str, int], str]:
    """Return right letters to all rotations, except a wrong one and a rotation that is left out."""
    letters = {
        (id_, turns): letter_of(id_, turns, RIGHT[id_])
        for id_, options in ROWS.items()
        for turns in range(len(options))
    }
    letters["242", 1] = letter_of("242", 1, "blue")
    del letters["243", 1]
    return letters


def circular(work: kbe.Workspace, model: str) -> SimpleNamespace:
    (row,) = (row for row in work.answers.evaluation().results().circular if row["model"] == model)
    return SimpleNamespace(**row)


def test_a_question_is_right_where_all_rotations_are(work: kbe.Workspace, tmp_path: Path) -> None:
    file = tmp_path / "answered.jsonl"
    rows = [
        {"id": id_, "answer": f"({letter})", "variant": "circular", "run": turns + 1}
        for (id_, turns), letter in said().items()
    ]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    taken = work.answers.take(file, model="lines")
    assert (taken.new, taken.unknown, taken.twice, taken.missing) == (7, (), (), ())
    answers = {(answer.question[12:15], answer.run): answer for answer in work.answers.predictions(model="lines")}
    assert [answers["241", run].text for run in range(1, 5)] == ["square"] * 4
    assert answers["242", 2].text == "blue"
    row = circular(work, "lines")
    assert (row.questions, row.incomplete, row.all_right, row.accuracy) == (2, 1, 0.5, 0.75)
    assert row.low < 0.5 < row.high
    assert work.answers.take(file, model="lines").judgement == taken.judgement
    plain = [row for row in work.answers.evaluation(model="lines").results().accuracy if row.samples == "all"]
    assert [(row.variant, row.questions) for row in plain] == [("circular", 3)]
    assert plain[0].accuracy == pytest.approx((1 + 0.5 + 1) / 3)
    file.write_text('{"id": "242", "answer": "A", "variant": "circular", "run": 3}\n')
    with pytest.raises(kbe.InputError, match="has no 'circular' of run 3"):
        work.answers.take(file, model="m")


def test_a_model_that_goes_by_the_letter_is_never_right_in_all_rotations(work: kbe.Workspace) -> None:
    with LoopbackServer(otherwise=reply_with("A")) as server:
        model = kbe.ModelOptions("first-letter", base_url=server.url, api_key="k")
        assert work.evaluate(model, variants=["circular"], runs=2).new == 8
        assert len({request.text for request in server.requests}) == 8
        assert work.evaluate(model, variants=["circular"]).new == 0
        assert len(server.requests) == 8
    row = circular(work, "first-letter")
    assert (row.questions, row.incomplete, row.all_right) == (3, 0, 0)
    assert row.accuracy == pytest.approx((0.25 + 0.5 + 0.5) / 3)


def test_what_a_model_says_alike_where_it_is_asked_again_is_counted(work: kbe.Workspace) -> None:
    heard: dict[str, int] = {}

    def answer(request: LoopbackRequest) -> LoopbackResponse:
        """Say what is right, another case the second time, and to one question something else."""
        id_ = next(id_ for id_ in RIGHT if f"Which {id_}?" in request.text)
        heard[id_] = heard.get(id_, 0) + 1
        first = RIGHT[id_] if heard[id_] == 1 else RIGHT[id_].title()
        return reply_with("blue" if (id_, heard[id_]) == ("242", 2) else first)

    with LoopbackServer(otherwise=answer) as server:
        model = kbe.ModelOptions("moody", base_url=server.url, api_key="k")
        work.evaluate(model, runs=2, variants=["image"])
        work.answers.judge(["exact"])
    rows = {row["judge"]: SimpleNamespace(**row) for row in work.answers.evaluation().results().stability}
    assert {judge: row.same_answer for judge, row in rows.items()} == pytest.approx({"alias": 2 / 3, "exact": 2 / 3})
    assert {judge: row.same_verdict for judge, row in rows.items()} == pytest.approx({"alias": 2 / 3, "exact": 0})
    assert {(row.questions, row.runs, row.variant, row.row) for row in rows.values()} == {(3, 2, "image", "raw")}
