"""The paper's worked example from loading to the third hop, and a re-selection beside it (KBE, figures 3 and 6).

A scripted model answers as the paper's did; triplets, questions and answers of the woodpecker are those of figure 3.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from model_cases import asking, go, step_of, steps_asked
from PIL import Image

from kbe_graph.store import Store
from kbe_graph.types import Question, Sample

BIRDS = Sample("okvqa/val/1", "okvqa", "val", "What kind of birds are those?", "woodpecker", ("woodpecker",), "1.jpg")
CAT = Sample("okvqa/val/2", "okvqa", "val", "How many teeth does this animal use to have?", "26", ("26",), "2.jpg")
GRAPHS = {
    BIRDS.question: {
        "visual": ["IMAGE|depict|BIRDS", "BIRDS|are on|TREE TRUNK", "BIRDS|have color|red and black"],
        "textual": ["WOODPECKER|type of|BIRD", "TREE TRUNK|made of|WOOD"],
        "key": ["V1", "V3", "T1"],
    },
    CAT.question: {
        "visual": ["IMAGE|depict|CAT", "CAT|have color|beige", "CAT|is in state|RELAXED"],
        "textual": ["ANIMAL|typically have|TEETH", "CAT|category of|ANIMAL", "CAT|usually have|26"],
        "key": ["V1", "T3"],
    },
}
RESELECTED = "What does the kind of creature that the cat belongs to typically have in its mouth?"
FACTS = {
    "woodpecker": ("taxonomic order", "PICIFORMES"),
    "piciformes": ("typical habitat", "FORESTS"),
    "forests": ("primary vegetation", "TREES"),
}
QUESTIONS = {
    "PICIFORMES": "What taxonomic order do the red and black birds in this image belong to?",
    "FORESTS": "What is the typical habitat for the birds depicted in this image?",
    "TREES": "What is the primary vegetation found in the typical habitat of the birds shown in this image?",
}
KEY = [
    "(IMAGE, depict, BIRDS)",
    "(BIRDS, have color, red and black)",
    "(WOODPECKER, type of, BIRD)",
    "(WOODPECKER, taxonomic order, PICIFORMES)",
    "(PICIFORMES, typical habitat, FORESTS)",
    "(FORESTS, primary vegetation, TREES)",
]


def answer(request: LoopbackRequest) -> LoopbackResponse:
    """Answer a step as the paper's model did."""
    text = request.text
    graph = next((graph for question, graph in GRAPHS.items() if question in text), {})
    value: dict[str, Any] = {
        "extract": lambda: {name: [spo(line) for line in graph[name]] for name in ("visual", "textual")},
        "key": lambda: {"key": graph["key"]},
        "reselect": lambda: {"question": RESELECTED},
        "knowledge": lambda: {"candidates": facts(text)},
        "representative": lambda: {"verdicts": [{"n": 1, "ok": True}]},
        "express": lambda: {"question": QUESTIONS[named(text, "New triplet").rpartition(", ")[2].strip(")")]},
    }[step_of(request)]()
    return reply_with(json.dumps(value))


def spo(line: str) -> dict[str, str]:
    return dict(zip("sro", line.split("|"), strict=True))


def named(text: str, label: str) -> str:
    return text.rpartition(f"{label}: <<<")[2].partition(">>>")[0]


def facts(text: str) -> list[dict[str, object]]:
    last = named(text, "Answer").lower()
    return [{"r": FACTS[last][0], "o": FACTS[last][1], "names": [], "type": "thing"}] if last in FACTS else []


@pytest.fixture
def evolved(embedded_store: Store, tmp_path: Path) -> Store:
    """A graph that both samples were extracted and evolved in, three hops."""
    for sample in (BIRDS, CAT):
        Image.new("RGB", (32, 32), (40, 90, 10)).save(tmp_path / sample.image)
    with LoopbackServer(otherwise=answer) as server:
        go(embedded_store, tmp_path, server.url, asking("paper"), chosen=[BIRDS, CAT])
        assert steps_asked(server.requests)["reselect"] == 1
    return embedded_store


def key_of(question: Question) -> list[str]:
    return [f"({triplet.subject.name}, {triplet.relation}, {triplet.object.name})" for triplet in question.key]


def test_the_questions_are_the_papers_hop_by_hop_with_the_key_in_the_graph(evolved: Store) -> None:
    (raw,) = evolved.questions(run="raw", samples=[BIRDS.id])
    assert key_of(raw) == KEY[:3]
    for hop, (thing, text) in enumerate(QUESTIONS.items(), 1):
        (question,) = evolved.questions(run="r", hop=hop, samples=[BIRDS.id])
        assert (question.text, question.answer.upper(), question.difficulty) == (text, thing, 3 + hop)
        assert key_of(question) == KEY[: 3 + hop]
        path = evolved.query("question_path", {"id": question.id})
        assert [f"({row[1]}, {row[2]}, {row[3]})" for row in path.rows] == KEY[: 3 + hop]
    assert evolved.query("cycles_anywhere").rows == ()
    (cat,) = evolved.questions(run="r", hop=0)
    assert (cat.text, cat.answer) == (RESELECTED, "teeth")
    assert key_of(cat) == ["(IMAGE, depict, CAT)", "(CAT, category of, ANIMAL)", "(ANIMAL, typically have, TEETH)"]
