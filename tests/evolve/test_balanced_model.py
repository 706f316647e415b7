"""What guessing is worth is bounded in runs whose facts a model proposes too."""

import json
from collections import Counter
from pathlib import Path

import pytest
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from model_cases import answer_step, asking, go, samples, step_of

from kbe_graph.checks import FilterSettings
from kbe_graph.checks.guessable import FEW
from kbe_graph.store import Store
from kbe_graph.types import Sample

ANIMALS = (
    *("giraffe", "zebra", "lion", "horse", "cow", "goat", "dog", "elephant", "sheep", "duck", "tiger", "camel"),
    *("eagle", "owl", "wolf", "fox", "deer", "swan", "bear", "penguin", "rabbit", "monkey", "squirrel", "turkey"),
)


def same_fact(request: LoopbackRequest) -> LoopbackResponse:
    """Answer well, and of whatever is seen say that it lives in the savanna."""
    if step_of(request) != "hop":
        return answer_step(request)
    fact = {"r": "lives in", "o": "SAVANNA", "type": "landscape", "ok": True}
    return reply_with(json.dumps({"candidates": [fact | {"q": "In what landscape is what is seen here at home?"}]}))


@pytest.mark.parametrize("number", [8, len(ANIMALS)], ids=["a small run", "one answer of a relation"])
def test_a_models_facts_are_not_asked_where_guessing_pays(embedded_store: Store, tmp_path: Path, number: int) -> None:
    picture = samples(tmp_path)[0].image
    chosen = [
        Sample(f"own/val/{name}", "own", "val", "What is this?", name, image=picture) for name in ANIMALS[:number]
    ]
    with LoopbackServer(otherwise=same_fact) as server:
        go(embedded_store, tmp_path, server.url, asking(), hops=1, chosen=chosen, settings=FilterSettings())
    questions = embedded_store.questions(run="r", hop=1, status=None)
    assert len(questions) > 0.9 * number
    kept = len(questions) if number < FEW else 1
    assert Counter(question.reason for question in questions) == Counter({"": kept, "guessable": len(questions) - kept})
