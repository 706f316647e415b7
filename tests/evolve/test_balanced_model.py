"""What guessing is worth is bounded in runs whose facts a model proposes too."""

import json
from collections import Counter
from pathlib import Path

import pytest
from model_cases import answer_step, go, samples, step_of

from kbe_graph.checks import FilterSettings
from kbe_graph.evolve.mix import Mix
from kbe_graph.store import Store
from kbe_graph.testing import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from kbe_graph.types import Sample

FREE = {"group_share": 1.0, "foreseen_share": 1.0, "first_share": 1.0}
ANIMALS = ("giraffe", "zebra", "lion", "horse", "cow", "goat", "dog", "elephant")


def same_fact(request: LoopbackRequest) -> LoopbackResponse:
    """Answer well, and of whatever is seen say that it lives in the savanna."""
    if step_of(request) != "hop":
        return answer_step(request)
    fact = {"r": "lives in", "o": "SAVANNA", "type": "landscape", "ok": True}
    return reply_with(json.dumps({"candidates": [fact | {"q": "In what landscape is what is seen here at home?"}]}))


@pytest.mark.parametrize(
    ("settings", "reasons"),
    [
        ({"floor": 8}, {"": 8}),
        ({"floor": 8, "balance_from": 1}, {"guessable": 8}),
        ({"floor": 3, "balance_from": 1, "group_answers": 1, **FREE}, {"": 3, "concentration": 5}),
    ],
    ids=["a small run", "one answer of a relation", "one answer of a run"],
)
def test_a_models_facts_are_not_asked_where_guessing_pays(
    embedded_store: Store, tmp_path: Path, settings: dict[str, float], reasons: dict[str, int]
) -> None:
    picture = samples(tmp_path)[0].image
    chosen = [Sample(f"own/val/{name}", "own", "val", "What is this?", name, image=picture) for name in ANIMALS]
    filters = FilterSettings(rare_rate=0, **settings)
    with LoopbackServer(otherwise=same_fact) as server:
        go(embedded_store, tmp_path, server.url, Mix(), hops=1, chosen=chosen, settings=filters)
    questions = embedded_store.questions(run="r", hop=1, status=None)
    assert Counter(question.reason for question in questions) == reasons
