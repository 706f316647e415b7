"""Guesses without the picture and the counterfactual test: of the benchmark's questions, and of each draft."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from model_cases import (
    ANSWERS,
    answer_step,
    asking,
    go,
    reasons,
    samples,
    step_of,
    steps_asked,
    two_candidates,
)

from kbe_graph.checks.needed import ImageNotNeeded
from kbe_graph.checks.registry import GUESSED, KNOWN
from kbe_graph.evolve.blind_test import decide_alternatives, other_things
from kbe_graph.store import Store
from kbe_graph.types import IMAGE, Alternative, Entity, Question, Triplet

MIX = asking(blind="skip")
Guesses = Mapping[str, str]
OTHERS = [("cello", "case of wood"), ("harp", "trolley"), ("lute", "bag"), ("drum", "")]


def answering(
    guesses: Guesses, others: Callable[[str], list[tuple[str, str]]] = lambda _: OTHERS
) -> Callable[[LoopbackRequest], LoopbackResponse]:
    """Return a model with two candidates a hop, which guesses by a part of a question, and names other things."""

    def answer(request: LoopbackRequest) -> LoopbackResponse:
        """Answer a request."""
        step, asked = step_of(request), numbered(request.text)
        if step == "guess":
            said = {
                n: [guess for part, guess in guesses.items() if part in text][:1] or ["fog"]
                for n, text in asked.items()
            }
            return reply_with(json.dumps({"answers": [{"n": n, "a": a} for n, a in said.items()]}))
        if step == "alternatives":
            lists = {n: [{"thing": thing, "answer": a} for thing, a in others(text)] for n, text in asked.items()}
            return reply_with(json.dumps({"questions": [{"n": n, "others": each} for n, each in lists.items()]}))
        if step == "knowledge":
            return reply_with(json.dumps({"candidates": [*two_candidates(request.text)]}))
        return answer_step(request)

    return answer


def numbered(text: str) -> dict[int, str]:
    """Return the questions of a request by their numbers."""
    found = re.findall(r"^(\d+) (?:question: )?(<<<.+>>>)$", text, re.MULTILINE)
    return {int(number): question for number, question in found}


def test_a_question_that_is_guessed_is_dropped_and_nothing_is_asked_twice(
    embedded_store: Store, tmp_path: Path
) -> None:
    with LoopbackServer(otherwise=answering({"drawn across": "a bow", "landscape": "Savannas"})) as server:
        go(embedded_store, tmp_path, server.url, MIX, hops=1)
        asked = steps_asked(server.requests)
        go(embedded_store, tmp_path, server.url, MIX, hops=1)
        assert steps_asked(server.requests) == asked
    assert [question.answer for question in embedded_store.questions(run="r", hop=1)] == ["foal"]
    dropped = embedded_store.candidates(run="r", hop=1, status="dropped")
    assert Counter(candidate.reason for candidate in dropped) == {GUESSED: 2}
    guesses = embedded_store.guesses(run="r", hop=1)
    assert sorted(guess.guess for guess in guesses if guess.right) == ["Savannas", "a bow"]
    assert len(guesses) == len(ANSWERS)
    raw = embedded_store.guesses(run="r", hop=0)
    assert [(guess.kind, guess.right) for guess in raw] == [("raw", False)] * len(ANSWERS)


@pytest.mark.parametrize(("blind", "kept"), [("skip", 2), ("off", 3)])
def test_what_a_model_knows_without_the_picture_is_not_explored_from(
    embedded_store: Store, tmp_path: Path, blind: str, kept: int
) -> None:
    raw = [
        replace(sample, question="Which animal?" if not n else "What?") for n, sample in enumerate(samples(tmp_path))
    ]
    with LoopbackServer(otherwise=answering({"animal": "giraffe"})) as server:
        go(embedded_store, tmp_path, server.url, replace(MIX, blind=blind), hops=1, chosen=raw)
        asked = steps_asked(server.requests)
    assert asked["knowledge"] == kept
    assert bool(asked["guess"]) == bool(asked["alternatives"]) == (blind != "off")
    assert len(embedded_store.questions(run="r", hop=1)) == kept
    assert reasons(embedded_store)["0"] == (KNOWN if blind == "skip" else "")
    rights = [guess.right for guess in embedded_store.guesses(run="r", hop=0)]
    assert rights == ([] if blind == "off" else [True, False, False])


@pytest.mark.parametrize(("others", "is_kept"), [(OTHERS, True), (OTHERS[:2], False)])
def test_the_picture_must_decide_the_answer(
    embedded_store: Store, tmp_path: Path, others: list[tuple[str, str]], is_kept: bool
) -> None:
    with LoopbackServer(otherwise=answering({}, lambda _: others)) as server:
        go(embedded_store, tmp_path, server.url, MIX, hops=1)
    kept = embedded_store.questions(run="r", hop=1)
    assert bool(kept) == is_kept
    if not is_kept:
        assert reasons(embedded_store) == dict.fromkeys("012", ImageNotNeeded.name)
        return
    alternatives = embedded_store.alternatives([question.id for question in kept])
    assert alternatives[kept[0].id] == tuple(Alternative(*other) for other in others)
    table = embedded_store.query_text(
        "MATCH (:Question {run: 'r'})-[other:ALTERNATIVE]->(shown:Entity) RETURN DISTINCT shown.name AS name"
    )
    assert sorted(row[0] for row in table.rows) == sorted(answer.upper() for answer in ANSWERS)


def test_what_is_shown_is_no_alternative_to_itself_and_each_counts_once() -> None:
    key = (
        Triplet(IMAGE, "depicts", Entity("FLAG")),
        Triplet(Entity("FLAG"), "is of", Entity("NORWAY")),
        Triplet(Entity("NORWAY"), "has capital", Entity("OSLO"), "textual"),
    )
    question = Question("s@r/1", "s", "r", 1, "explored", "What is the capital?", "Oslo", key, ("Christiania",))
    said = [Alternative(*pair) for pair in (("Norway", "Oslo"), ("GREECE", "Athens"), ("Greece", "Sparta"))]
    others = other_things(question, said)
    assert others == (Alternative("GREECE", "Athens"),)
    answers = ("Oslo", "Christiania", "Athens", "Rome")
    same = [Alternative(str(number), answer) for number, answer in enumerate(answers)]
    assert "have 2 other answers" in decide_alternatives(question, same).detail
