"""One broken part of a reply does not refuse it."""

import json
from typing import Any

import pytest

from kbe_graph.errors import ReplyError
from kbe_graph.steps.extractor import graph_step
from kbe_graph.steps.model_source import hop_step, knowledge_step
from kbe_graph.steps.reply_text import StepReply
from kbe_graph.types import Question, Sample

DUCK = Question("q", "b/s/1", "r", 0, "raw", "What is it?", "duck", ())
SAMPLE = Sample("b/s/1", "b", "s", "What covers the bird?", "feathers")
LONG = "x" * 400
GOOD: dict[str, Any] = {"r": "young is", "o": "DUCKLING", "ok": True, "q": "What is its young called?"}


def reply(value: Any) -> StepReply:
    return StepReply(json.dumps(value))


def candidates(*items: Any) -> list[str]:
    return [proposal.object for proposal in hop_step((DUCK,)).read(reply({"candidates": list(items)}))]


def numbered(count: int) -> list[dict[str, Any]]:
    return [GOOD | {"o": f"THING {number}"} for number in range(count)]


def test_a_ninth_candidate_is_cut_off() -> None:
    assert candidates(*numbered(20)) == [f"THING {number}" for number in range(8)]


def test_a_broken_item_is_left_out() -> None:
    for broken in [
        GOOD | {"o": LONG},
        GOOD | {"r": ""},
        {"r": "eats"},
        GOOD | {"o": 5},
        None,
        "DUCK eats WEEDS",
        ["DUCK", "eats", "WEEDS"],
    ]:
        assert candidates(GOOD, broken) == candidates(broken, GOOD) == ["DUCKLING"], broken
        assert [proposal.object for proposal in knowledge_step(DUCK).read(reply({"candidates": [broken, GOOD]}))] == [
            "DUCKLING"
        ], broken


def test_what_an_item_can_do_without_is_left_out_of_it() -> None:
    for odd in [
        {"reasoning": "as ducks do", "confidence": 0.9},
        {"names": [LONG, "chick", 7], "type": LONG},
        {"names": "chick"},
        {"names": [f"name {number}" for number in range(30)]},
        {"q": LONG},
        {"q": None},
    ]:
        assert candidates(GOOD | odd) == ["DUCKLING"], odd


def test_where_all_items_are_broken_the_reply_is_refused() -> None:
    with pytest.raises(ReplyError, match="not the form asked for: candidates"):
        candidates({"r": "eats"}, GOOD | {"o": LONG})


def test_triplets_keep_their_numbers_beside_a_broken_one() -> None:
    visual = [
        {"s": "IMAGE", "r": "depicts", "o": LONG},
        {"s": "IMAGE", "r": "depicts", "o": "DUCK", "certainty": 1},
        {"subject": "DUCK", "relation": "swims on", "object": "POND"},
    ]
    textual = [{"s": "DUCK", "r": "is covered by", "o": "FEATHERS"}]
    graph = graph_step(SAMPLE).read(reply({"visual": visual, "textual": textual, "key": ["V2", "T1", "V2"]}))
    assert [triplet.object.name for triplet in graph.visual] == ["DUCK", "POND"]
    assert [triplet.object.name for triplet in graph.key] == ["DUCK", "FEATHERS"]
