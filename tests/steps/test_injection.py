"""Hostile texts as questions, answers, facts and replies: no model follows one, and none becomes a question."""

from collections import Counter
from pathlib import Path

from hostile_cases import FOLLOWED, HOSTILE, PLAIN_WHEN_READ, ObedientModel, hostile_sample
from loopback_server import LoopbackServer
from model_cases import asking, go
from PIL import Image

from kbe_graph.checks.question_text import Instruction, WordedInstruction, instruction_in
from kbe_graph.store import Store
from kbe_graph.types import Question, Sample

PLAIN = 24


def samples(folder: Path) -> list[Sample]:
    """Return samples whose question or answer is hostile, and plain ones."""
    Image.new("RGB", (32, 32), "white").save(folder / "0.jpg")
    hostile = [hostile_sample(text, "0.jpg", "" if at % 2 else "horse") for at, text in enumerate(HOSTILE)]
    plain = [
        Sample(f"own/val/p{at}", "own", "val", f"What stands {'far ' * at}behind?", "horse", ("horse",), "0.jpg")
        for at in range(PLAIN)
    ]
    return [*hostile, *plain]


def hostile_ids() -> set[str]:
    """Return the samples of texts that are hostile as they are read: one that hides its words is plain then."""
    return {f"own/val/{hostile.name}" for hostile in HOSTILE if hostile.name not in PLAIN_WHEN_READ}


def texts(question: Question) -> tuple[str, ...]:
    names = (name for triplet in question.explored for name in (triplet.relation, triplet.object.name))
    return (question.text, question.answer, *question.aliases, *names)


def test_no_hostile_text_is_followed_or_kept(embedded_store: Store, tmp_path: Path) -> None:
    model = ObedientModel(reply_hostile=True)
    with LoopbackServer(otherwise=model, record=False) as server:
        go(embedded_store, tmp_path, server.url, asking(verify=True), hops=2, chosen=samples(tmp_path))
    kept = embedded_store.questions(run="r")
    every = embedded_store.questions(run="r", status=None)
    assert model.followed == []
    assert [text for question in kept for text in texts(question) if instruction_in(text) or FOLLOWED in text] == []
    assert not {question.sample for question in kept} & hostile_ids()
    assert kept
    reasons = Counter(question.reason for question in every)
    assert reasons[Instruction.name] >= len(HOSTILE) / 2
    assert reasons[WordedInstruction.name]
