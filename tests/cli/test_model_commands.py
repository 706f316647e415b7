"""The commands with a model, as a user gives them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import kbe, kbe_here, kept_up
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from model_cases import ANSWERS, answer_step, step_of, steps_asked, write_benchmark


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(otherwise=answer_step) as one:
        yield one


def make_place(folder: Path) -> None:
    """Make a workspace with the samples, whose engine is kept up."""
    file = write_benchmark(folder)
    kbe("-w", folder, "init")
    kbe("-w", folder, "db", "start")
    kbe("-w", folder, "load", file, "--name", "own", "--split", "val", "--images", folder)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("model")
    make_place(folder)
    yield folder
    kbe("-w", folder, "db", "stop")


def test_a_run_with_a_model_with_its_costs(place: Path, server: LoopbackServer) -> None:
    model = ("--mode", "paper", "--base-url", server.url, "--model", "loopback")
    assert "extracted 3 of 3" in kbe("-w", place, "extract", "--by", "model", *model)
    evolve = ("evolve", "--run", "m", "--hops", "2", *model)
    said = kbe("-w", place, *evolve, "--max-calls", "1", code=3)
    assert "the limit set by `--max-calls`" in said
    assert "spent" in said
    kbe("-w", place, *evolve)
    asked_steps = {"extract": 3, "key": 3, "guess": 3, "alternatives": 2}
    asked_steps |= dict.fromkeys(("knowledge", "representative", "express"), 6)
    assert steps_asked(server.requests) == asked_steps
    counts = json.loads(kbe_here("-w", place, "status", "--run", "m", "--json"))["runs"]["m"]
    assert counts["questions"]["hop 2"]["kept"] == len(ANSWERS)
    assert counts["models"]["families"].endswith("are of one family (loopback)")
    summary = json.loads(kbe_here("-w", place, "calls", "--json"))
    assert {line["step"]: line["calls"] for line in summary["lines"]} == asked_steps
    manifest = json.loads((place / ".kbe" / "runs" / "m" / "run.json").read_text())
    assert manifest["families"]["shared"] == "generator and verifier and judge are of one family (loopback)"
    assert manifest["settings"]["families"] == manifest["families"]["shared"]
    kbe_here("-w", place, "export", "jsonl", place / "out.jsonl", "--run", "m")
    lines = [json.loads(line) for line in (place / "out.jsonl").read_text().splitlines()]
    told = {line["run"]: line.get("families") for line in lines}
    assert told == {"raw": None, "m": manifest["families"]["shared"]}


def test_everything_can_be_forecast_right_after_load_without_a_key(tmp_path: Path) -> None:
    file = write_benchmark(tmp_path)
    (tmp_path / "0.jpg").unlink()
    kbe_here("-w", tmp_path, "init")
    model = ("--model", "gpt-5-mini")
    with kept_up(tmp_path):
        kbe_here("-w", tmp_path, "load", file, "--name", "own", "--split", "val", "--images", tmp_path)
        whole = kbe_here("-w", tmp_path, "estimate", *model, "--hops", "2", "--evaluate", "gpt-5")
        rows = [line.split("\t") for line in whole.splitlines() if "\t" in line]
        steps = [row[0] for row in rows[1:]]
        assert steps == ["see", "look", "draft", "confirm", "guess", "solve", "pick", "answer", "answer", "total"]
        assert [row[:3] for row in rows if row[0] == "see"] == [["see", "gpt-5-mini", "2"]]
        assert re.search(r"^dollars: about 0\.0\d+, 0\.0\d+ per question at least$", whole, re.MULTILINE)
        assert "no graph yet: 3 samples" in whole
        unknown = kbe_here("-w", tmp_path, "estimate", "--model", "nobody-1")
        assert "dollars: unknown" in unknown
        for command in (("extract", "--by", "model"), ("evaluate",)):
            assert "no key for 'https://api.openai.com/v1'" in kbe_here("-w", tmp_path, *command, *model, code=1)


def lucky(request: LoopbackRequest) -> LoopbackResponse:
    """Answer a step, and guess the horse, or the bow."""
    if step_of(request) != "guess":
        return answer_step(request)
    lines = re.findall(r"^(\d+) <<<(.+)>>>$", request.text, re.MULTILINE)
    answers = [{"n": int(number), "a": ["A bow" if "drawn" in words else "horse"]} for number, words in lines]
    return reply_with(json.dumps({"answers": answers}))


@pytest.fixture
def guesser() -> Iterator[LoopbackServer]:
    with LoopbackServer(otherwise=lucky) as one:
        yield one


def test_a_model_guesses_without_pictures_and_is_asked_nothing_twice(place: Path, guesser: LoopbackServer) -> None:
    server, model = guesser, ("--base-url", guesser.url, "--model", "loopback")
    asking = ("--mode", "paper", *model)
    kbe_here("-w", place, "extract", "--by", "model", *asking)
    evolve = ("evolve", "--run", "guessed", "--hops", "1", "--blind", "off", *asking)
    kbe_here("-w", place, *evolve)
    guess = ("guess", "--run", "guessed", "--by", "model", *model)
    asked = len(server.requests)
    rows = json.loads(kbe_here("-w", place, *guess, "--json"))["rows"]
    shares = {row["row"]: (row["guessers"]["model"]["right"], row["guessers"]["model"]["questions"]) for row in rows}
    assert shares == {"raw": (1, 3), "hop 1": (1, 3)}
    (request,) = server.requests[asked:]
    assert isinstance(request.json["messages"][-1]["content"], str)  # no picture
    assert "giraffe" not in request.text.lower()
    assert "model\t33.3" in kbe_here("-w", place, *guess)
    assert len(server.requests) == asked + 1
