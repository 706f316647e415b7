"""``kbe evaluate`` on the demo: models are asked over HTTP, judged by rules and by models, and kept in the graph."""

import json
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from commands import KBE, environment, kbe_here
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, error_response, reply_with
from scripted_models import ScriptedSubject, right_answers

from kbe_graph.folder import open_folder

NOWHERE = "http://127.0.0.1:9/v1"

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def answers(demo_made: Path) -> dict[str, str]:
    return right_answers(demo_made / "out.jsonl")


@pytest.fixture(scope="module")
def known(demo_made: Path, answers: dict[str, str]) -> dict[str, float]:
    """The share of each row's questions that the words alone tell the answer of: two pictures may share them."""
    right: dict[str, list[bool]] = {}
    for line in map(json.loads, (demo_made / "out.jsonl").read_text(encoding="utf-8").splitlines()):
        if line["status"] == "kept":
            row = f"hop {line['hop']}" if line["hop"] else {"reselected": "re-selected"}.get(line["kind"], "raw")
            right.setdefault(row, []).append(answers[line["question"]] == line["answer"])
    return {row: sum(said) / len(said) for row, said in right.items()}


def evaluate(workspace: Path, server: LoopbackServer, *more: object, model: str = "subject") -> dict[str, Any]:
    options = ("--base-url", server.url, "--model", model, "--run", "demo-0", "--json")
    outcome: dict[str, Any] = json.loads(kbe_here("-w", workspace, "evaluate", *options, *more))
    return outcome


def accuracy(outcome: dict[str, Any], model: str, variant: str = "image") -> dict[str, float]:
    rows = outcome["results"]["accuracy"]
    return {
        row["row"]: row["accuracy"]
        for row in rows
        if (row["model"], row["variant"], row["samples"]) == (model, variant, "all")
    }


def verdicts(workspace: Path, model: str) -> list[dict[str, Any]]:
    """Return what a model answered to each question, and what the judge said."""
    cypher = (
        f"MATCH (:Model {{name: '{model}'}})-[a:ANSWERED]->(q) RETURN q.id AS id, a.text AS text, a.verdict AS said"
    )
    rows: list[dict[str, Any]] = json.loads(kbe_here("-w", workspace, "query", "--json", "--cypher", cypher))
    assert {row["said"] for row in rows} == {"right", "wrong"}
    return sorted(rows, key=lambda row: row["id"])


def test_a_model_that_knows_everything_is_right_and_one_that_sees_nothing_is_wrong(
    demo_kept_up: Path, answers: dict[str, str], known: dict[str, float]
) -> None:
    subject = ScriptedSubject(answers)
    with LoopbackServer(otherwise=subject) as server:
        outcome = evaluate(demo_kept_up, server, "--variant", "image", "--variant", "blind")
        assert outcome["unanswered"] == 0
        assert outcome["new"] == outcome["asked"] == 2 * subject.asked["image"]
        assert subject.asked["blind"] == len(answers)  # what is asked in the same words of another picture is known
        assert accuracy(outcome, "subject") == pytest.approx(known)
        assert set(accuracy(outcome, "subject", "blind").values()) == {0.0}
        calls = subject.asked.total()
        again = evaluate(demo_kept_up, server, "--variant", "image", "--variant", "blind")
        assert again["new"] == 0
        assert subject.asked.total() == calls
        assert again["results"] == outcome["results"]


def test_models_judge_what_no_rule_is_sure_of_and_several_vote(demo_kept_up: Path, answers: dict[str, str]) -> None:
    subject = ScriptedSubject({question: f"it is {answer}" for question, answer in answers.items()}, skill=0.5)
    more = ("--hops", "0", "--judge", "exact", "--judge", "arbiter", "--judge", "paper:arbiter")
    with LoopbackServer(otherwise=subject) as server:
        judged = ("--judge-base-url", server.url)
        outcome = evaluate(demo_kept_up, server, *more, *judged, model="wordy")
        assert outcome["judgement"]["judge"] == "majority of exact, arbiter, paper: arbiter"
        assert outcome["judgement"]["right"] == 0  # each of them says no to "it is a horse", but a lenient judge
        assert subject.asked["judge"] > 0
        calls = subject.asked["judge"]
        evaluate(demo_kept_up, server, *more, *judged, model="wordy")
        assert subject.asked["judge"] == calls
    rows = json.loads(
        kbe_here(
            *("-w", demo_kept_up, "query", "--json", "--cypher"),
            "MATCH (:Model {name: 'wordy'})-[a:ANSWERED]->() RETURN DISTINCT a.judge AS judge, size(a.votes) AS votes",
        )
    )
    assert rows == [{"judge": "majority of exact, arbiter, paper: arbiter", "votes": 3}]


def test_one_that_was_killed_goes_on_and_comes_to_the_same_verdicts(
    demo_kept_up: Path, answers: dict[str, str]
) -> None:
    subject = ScriptedSubject(answers, skill=0.6)

    def slowly(request: Any) -> Any:
        time.sleep(0.01)
        return subject(request)

    with LoopbackServer(otherwise=slowly) as server:
        options = ("--base-url", server.url, "--model", "killed", "--run", "demo-0")
        command = [KBE, "-w", demo_kept_up, "evaluate", *options]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
        end = time.monotonic() + 60
        while subject.asked.total() < 5 and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        outcome = evaluate(demo_kept_up, server, model="killed")
        whole = evaluate(demo_kept_up, server, model="unharmed")
    assert outcome["unanswered"] == 0
    assert accuracy(outcome, "killed") == accuracy(whole, "unharmed")
    assert verdicts(demo_kept_up, "killed") == verdicts(demo_kept_up, "unharmed")


def test_answers_of_another_harness_are_taken_in_and_what_does_not_match_is_told(
    demo_kept_up: Path, demo_made: Path, tmp_path: Path
) -> None:
    lines = [json.loads(line) for line in (demo_made / "out.jsonl").read_text().splitlines()]
    kept = [line for line in lines if line["status"] == "kept"]
    rows = [{"id": line["id"], "answer": line["answer"]} for line in kept[2:]]
    rows += [{"id": kept[1]["id"], "answer": answer} for answer in ("one", "two")] + [{"id": "nobody", "answer": "x"}]
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ("-w", demo_kept_up, "evaluate", "--predictions", file, "--run", "demo-0")
    more = ("--model", "elsewhere", "--score", "vqa", "--score", "exact")
    outcome = json.loads(kbe_here(*command, *more, "--json"))
    assert (outcome["unknown"], outcome["twice"]) == (["nobody"], [kept[1]["id"]])
    assert outcome["missing"] == [kept[0]["id"]]
    assert (outcome["new"], outcome["judgement"]["right"]) == (len(kept) - 2, len(kept) - 2)
    scores = [row for row in outcome["scores"] if row["model"] == "elsewhere"]
    assert {row["score"] for row in scores if row["rule"] == "exact"} == {1.0}
    assert all(0 < row["score"] <= 1 for row in scores if row["rule"] == "vqa")
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps(rows[0] | {"answer": "another"}) + "\n")
    replacing = ("-w", demo_kept_up, "evaluate", "--predictions", other, "--run", "demo-0", "--model", "elsewhere")
    assert "1 answers would replace or join others that 'elsewhere' has here" in kbe_here(*replacing, code=1)
    assert "1 of them new" in kbe_here(*replacing, "--replace")
    asking = ("-w", demo_kept_up, "evaluate", "--run", "demo-0", "--model", "elsewhere", "--base-url", NOWHERE)
    assert f"{len(kept) - 2} answers of 'elsewhere' here are from a file" in kbe_here(*asking, code=1)
    again = kbe_here(*replacing[:-1], "third")
    assert "\nelsewhere\t" not in again
    assert "other models with answers here: " in again
    assert "which needs questions in that form; make them with" in kbe_here(
        *replacing[:-1], "fourth", "--form", "several", code=1
    )
    kbe_here(*command, *more, "--replace")
    stricter = kbe_here(*command, *more, "--judge", "exact")
    assert "score by vqa: VQA accuracy of the official evaluator" in stricter
    lines = [line.split("\t")[:3] for line in stricter.splitlines() if line.startswith("elsewhere\timage")]
    assert lines[:2] == [["elsewhere", "image", "alias"], ["elsewhere", "image", "exact"]]


def test_an_option_that_a_way_to_evaluate_does_not_use_is_refused(demo_kept_up: Path) -> None:
    assert "--variant and --variants have no use" in kbe_here(
        *("-w", demo_kept_up, "evaluate", "--predictions", "a.jsonl", "--model", "m", "--variant", "options"), code=2
    )
    assert "--format and --form need a file" in kbe_here("-w", demo_kept_up, "evaluate", "--form", "fill", code=2)


def test_a_picture_that_cannot_be_read_is_told_with_its_reason(
    demo_kept_up: Path, answers: dict[str, str], tmp_path: Path
) -> None:
    folders = demo_kept_up / ".kbe" / "image_folders.txt"
    kept = folders.read_text()
    shutil.copytree(json.loads(kept.splitlines()[0])["folders"][0], tmp_path / "pictures")
    bad = min(file for file in (tmp_path / "pictures").rglob("*.jpg"))
    bad.write_text("<html>404</html>")
    samples = [id_ for line in kept.splitlines() for id_ in json.loads(line)["samples"]]
    open_folder(demo_kept_up).remember_images(dict.fromkeys(samples, (tmp_path / "pictures",)), adds=False)
    try:
        with LoopbackServer(otherwise=ScriptedSubject(answers)) as server:
            outcome = evaluate(demo_kept_up, server, "--hops", "0", model="half-blind")
            shutil.rmtree(tmp_path / "pictures")
            asked = ("--run", "demo-0", "--model", "blind", "--base-url", server.url)
            told = kbe_here("-w", demo_kept_up, "evaluate", *asked, code=1)
    finally:
        folders.write_text(kept)
    assert outcome["unreadable"] == outcome["unanswered"] >= 1
    assert bad.name in outcome["picture_fault"]
    assert "no picture of the" in told


def test_a_command_that_lost_calls_prints_what_there_is_and_ends_with_1(demo_kept_up: Path) -> None:
    gone = error_response(500, "gone", retry_after="0")

    def answer(request: LoopbackRequest) -> LoopbackResponse:
        return gone if "What breed of dog" in request.text else reply_with("cat")

    def ask(code: int) -> str:
        options = ("--model", "lossy", "--benchmark", "demo", "--hops", "0")
        return kbe_here("-w", demo_kept_up, "evaluate", "--base-url", server.url, *options, code=code)

    with LoopbackServer(otherwise=answer) as server:
        assert "not complete: an endpoint was gone for some calls; run the same command again" in ask(1)
    with LoopbackServer(otherwise=lambda _: reply_with("cat")) as server:
        assert "59 of 59 answered" in ask(0)
