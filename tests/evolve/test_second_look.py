"""A second model looks at each question before it is kept: seven verdicts, each no a reason of its own."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from model_cases import (
    ANSWERS,
    QUESTIONS,
    SPARE,
    answer_step,
    asking,
    go,
    inspections,
    reasons,
    step_of,
    steps_asked,
    two_candidates,
)

from kbe_graph.evolve.choice import MOST_INSPECTED, Inspections
from kbe_graph.steps.verifier import REASONS, Inspectable
from kbe_graph.store import Store
from kbe_graph.types import VERDICTS, Decision, Inspection, Question, Sample

MIX = asking(verify=True)


def saying(say: Callable[[str], object]) -> Callable[[LoopbackRequest], LoopbackResponse]:
    """Answer well, with two candidates a hop; ``say`` gives the reply on questions."""

    def answer(request: LoopbackRequest) -> LoopbackResponse:
        match step_of(request):
            case "inspect":
                return reply_with(json.dumps(say(request.text)))
            case "knowledge":
                return reply_with(json.dumps({"candidates": list(two_candidates(request.text))}))
        return answer_step(request)

    return answer


def test_who_says_yes_keeps_all_and_is_asked_nothing_again(embedded_store: Store, tmp_path: Path) -> None:
    with LoopbackServer(otherwise=answer_step) as server:
        go(embedded_store, tmp_path, server.url, MIX, hops=2)
        expected = {"extract": 3, "key": 3, "verify": 2, "inspect": 2}
        expected |= dict.fromkeys(("knowledge", "representative", "express"), 6)
        assert steps_asked(server.requests) == expected
        go(embedded_store, tmp_path, server.url, MIX, hops=2)
        assert steps_asked(server.requests) == expected
        request = next(request for request in server.requests if step_of(request) == "inspect")
        assert isinstance(request.json["messages"][-1]["content"], str)  # no picture
    assert len(embedded_store.questions(run="r")) == 2 * len(ANSWERS)
    assert embedded_store.status("r")["runs"]["r"]["verdicts"] == {"questions": 6, "yes": dict.fromkeys(VERDICTS, 1.0)}
    table = embedded_store.query_text(
        "MATCH (i:Inspection {no_leak: true})-[:ABOUT]->(q:Question {status: 'kept'}) RETURN count(i) AS n"
    )
    assert list(table.rows) == [(6,)]
    assert embedded_store.forget_run("r") == 6
    assert embedded_store.inspections() == []


def test_a_question_that_is_refused_gives_way_to_the_next_candidate(embedded_store: Store, tmp_path: Path) -> None:
    def say(text: str) -> object:
        """Refuse what asks for the objects of ``FACTS``."""
        refused = {"one_answer": False, "publish": False}
        asked = zip(entries(text), re.findall(r"^\d+ question: <<<(.*)>>>$", text, re.MULTILINE), strict=True)
        return {"questions": [entry | (refused if words in QUESTIONS.values() else {}) for entry, words in asked]}

    with LoopbackServer(otherwise=saying(say)) as server:
        go(embedded_store, tmp_path, server.url, MIX, hops=1)
        asked = steps_asked(server.requests)
        go(embedded_store, tmp_path, server.url, MIX, hops=1)
        assert steps_asked(server.requests) == asked
    assert 1 <= asked["inspect"] <= MOST_INSPECTED
    kept = embedded_store.questions(run="r", hop=1)
    assert {question.answer for question in kept} == {thing.lower() for thing in SPARE.values()}
    refused = [inspection for inspection in embedded_store.inspections(run="r", hop=1) if inspection.no]
    assert {inspection.no for inspection in refused} <= {("one_answer", "publish")}
    dropped = embedded_store.candidates(run="r", hop=1, status="dropped")
    assert Counter(candidate.reason for candidate in dropped) == Counter([REASONS["one_answer"]] * len(refused))
    assert {candidate.detail for candidate in dropped} == {"verified; no to one_answer, publish"}
    of_facts = embedded_store.verdicts(["r"], hop=1)
    assert (len(of_facts), set(of_facts.values())) == (2 * len(ANSWERS), {True})


@pytest.mark.parametrize(
    ("say", "reason"),
    [
        (lambda text: inspections(text, image_needed=False), REASONS["image_needed"]),
        (lambda text: {"questions": [without(entry) for entry in entries(text)]}, REASONS["no_leak"]),
        (lambda _: "As a model I think that all of them are fine.", "reply: invalid"),
    ],
    ids=["one no", "a verdict short", "garbage"],
)
def test_each_no_drops_the_question_with_its_reason_when_its_candidates_are_through(
    embedded_store: Store, tmp_path: Path, say: Callable[[str], object], reason: str
) -> None:
    with LoopbackServer(otherwise=saying(say)) as server:
        go(embedded_store, tmp_path, server.url, MIX, hops=1)
    assert reasons(embedded_store) == dict.fromkeys("012", reason)
    counts = Counter(each.question for each in embedded_store.inspections(run="r"))
    assert set(counts.values()) == (set() if reason == "reply: invalid" else {2})
    with LoopbackServer(otherwise=answer_step) as server:
        go(embedded_store, tmp_path, server.url, MIX, hops=1)
        healed = embedded_store.questions(run="r", hop=1)
        assert len(healed) == (3 if reason == "reply: invalid" else 0)


def entries(text: str) -> list[dict[str, object]]:
    return inspections(text)["questions"]  # type: ignore[return-value]


def without(entry: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in entry.items() if name != "no_leak"}


class Reader:
    """An inspector that finds fault with questions that hold "bad", and notes what it is shown."""

    def __init__(self) -> None:
        self.shown: list[list[str]] = []

    async def __call__(self, questions: Sequence[Inspectable]) -> Sequence[Inspection | Decision]:
        self.shown.append([question.text for _, question in questions])
        return [
            Inspection(question.text, question.answer, () if "bad" in question.text else VERDICTS)
            for _, question in questions
        ]


SAMPLE = Sample("s", "b", "v", "What?", "dog")


def inspectable(text: str, number: int = 0) -> Inspectable:
    return Inspectable(SAMPLE, Question(f"s@r/{number}", f"s{number}", "r", number, "explored", text, "cat", ()))


def test_after_so_many_refusals_no_other_question_of_the_sample_is_shown() -> None:
    looks = Inspections(Reader(), {})
    texts = [f"bad {number}?" for number in range(MOST_INSPECTED)]
    for text in texts:
        assert looks.refusal(inspectable(text).question).keep
        assert asyncio.run(looks.inspect([inspectable(text)])) == {"s0"}
    assert looks.refusal(inspectable("good?").question) == looks.refusal(inspectable(texts[-1]).question)
    assert looks.refusal(inspectable("good?", 1).question).keep
    assert [each.text for each in looks.of("s@r/0")] == texts
