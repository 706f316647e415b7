"""Each edge of a question's key asked by itself, and how much less often the whole question is right than its links."""

import json
import re
from pathlib import Path

import pytest
from commands import kbe_here
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with

import kbe_graph as kbe
from kbe_graph.forms.links import LinkQuestion, links_of

pytestmark = pytest.mark.long
FIRM = kbe.Entity("AIR FRANCE")
EDGES = {
    kbe.Triplet(kbe.Entity("PLANE"), "is flown by", FIRM): "The plane is flown by what?",
    kbe.Triplet(kbe.Entity("PLANE"), "color", kbe.Entity("white")): "What is the color of the plane?",
    kbe.Triplet(kbe.Entity("PLANES"), "in front of", FIRM): "What are the planes in front of?",
    kbe.Triplet(FIRM, "has hub at", kbe.Entity("ROISSY"), "textual"): "Air france has hub at what?",
    kbe.Triplet(kbe.Entity("TURKEY", concept="wn30:09039411-n"), "capital", FIRM, "textual"): (
        "What is the capital of Turkey?"
    ),
}


def test_an_edge_is_asked_in_the_words_of_its_relation() -> None:
    sample = kbe.Sample("s", "b", "val", "Which?", "it")
    key = (kbe.Triplet(kbe.types.IMAGE, "depicts", kbe.Entity("PLANE")), *EDGES)
    question = kbe.Question("q", "s", "run", 1, "explored", "?", "Air France", key, aliases=("AF",))
    links = links_of(question, sample)
    assert [link.text for link in links] == [*EDGES.values()]
    assert [link.is_seen for link in links] == [True, True, True, False, False]
    assert links[-1].answers == ("air france", "AF")
    assert links_of(kbe.Question("q", "s", "run", 1, "explored", "?", "Air France", key[:2]), sample) == ()


def test_a_model_that_knows_all_links_and_half_of_the_whole_has_that_gap(demo_kept_up: Path, demo_made: Path) -> None:
    lines = [json.loads(line) for line in (demo_made / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    hops = [line for line in lines if line["hop"] and line["status"] == "kept"]
    known = {line["question"]: line["answer"] for line in hops[::2]}
    links: dict[str, LinkQuestion] = {}
    with kbe.Workspace(demo_kept_up) as work:
        for question in work.questions(run="demo-0"):
            links |= {link.text: link for link in links_of(question, work.sample(question.sample).sample)}

    def answer(request: LoopbackRequest) -> LoopbackResponse:
        asked = re.findall("<<<(.*)>>>", request.text)[-1]
        sees = isinstance(request.json["messages"][-1]["content"], list)
        link = links.get(asked)
        right = link.answers[0] if link and link.is_seen == sees else known.get(asked, "no idea")
        return reply_with(right)

    with LoopbackServer(otherwise=answer) as server:
        ways = (
            "--variant",
            "image",
            "--variant",
            "links",
            "--model",
            "half",
            "--base-url",
            server.url,
            "--hops",
            "1-3",
        )
        command = ("-w", demo_kept_up, "evaluate", "--run", "demo-0", *ways)
        printed = kbe_here(*command)
        calls = len(server.requests)
        outcome = json.loads(kbe_here(*command, "--json"))
        assert (len(server.requests), outcome["new"]) == (calls, 0)
    assert "composition gap" in printed
    rows = outcome["results"]["composition"]
    assert sum(row["questions"] for row in rows) == len(hops)
    assert {row["links"] for row in rows} == {1.0}
    assert sum(row["whole"] * row["questions"] for row in rows) == pytest.approx(len(known))
    for row in rows:
        assert row["gap"] == pytest.approx(1 - row["whole"])
        assert row["composed"] == row["whole"]
        assert row["low"] < row["gap"] < row["high"] or row["gap"] in {0, 1}
    assert {row["variant"] for row in outcome["results"]["accuracy"]} == {"image"}
