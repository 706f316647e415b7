"""While a batch is finished the next one is asked about, and what comes of it is the same."""

import asyncio
from collections.abc import Sequence

import pytest

from kbe_graph.errors import KbeError, ReplyAwaited
from kbe_graph.evolve.choice import Explorations
from kbe_graph.evolve.exploration import Exploration, Option
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.models.loop import ask_in_batches, batches
from kbe_graph.store.nodes import CandidateRow
from kbe_graph.types import IMAGE, Entity, Provenance, Question, Sample, Triplet

LETTERS = "abcdef"


class Asked:
    """Notes what is asked and finished; batches that hold a letter of ``awaited`` have no reply, ``failing`` fail."""

    def __init__(self, *, awaited: str = "", failing: str = "") -> None:
        self.awaited, self.failing = awaited, failing
        self.noted: list[str] = []
        self.told: list[int] = []

    async def ask(self, letters: Sequence[str]) -> str:
        text = "".join(letters)
        self.noted.append(f"ask {text}")
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.noted.append(f"cancel {text}")
            raise
        if set(text) & set(self.awaited):
            raise ReplyAwaited("later")
        return text

    async def finish(self, text: str) -> None:
        if set(text) & set(self.failing):
            raise KbeError(f"cannot finish {text}")
        await asyncio.sleep(0)
        self.noted.append(f"finish {text}")

    def run(self) -> None:
        async def asked() -> None:
            await ask_in_batches(
                batches(LETTERS, 2),
                self.ask,
                self.finish,
                total=len(LETTERS),
                stage="letters",
                progress=lambda _, done, __: self.told.append(done),
            )

        asyncio.run(asked())


def test_replies_that_are_still_to_come_are_waited_for_once_all_batches_have_asked() -> None:
    asked = Asked(awaited="a")
    with pytest.raises(ReplyAwaited):
        asked.run()
    assert [note for note in asked.noted if "finish" in note] == ["finish cd", "finish ef"]
    assert asked.told == [0, 2, 4, 6]


def test_explorations_come_back_from_their_file_as_they_were() -> None:
    key = (Triplet(IMAGE, "depicts", Entity("DOG", number=2, concept="wn30:02084071-n"), source="m", evidence="a dog"),)
    parent = Question("q", "s", "r", 0, "raw", "What is it?", "dog", key, provenance=Provenance("m", 1))
    fact = ProposedFact("wn30:02084071-n", "dog", "is fond of", "name:ball", "BALL", "m", aliases=("toy",), ok=True)
    question = Question("q1", "s", "r", 1, "explored", "What?", "BALL", (*key, fact.triplet(key[0].object)), parent="q")
    sample = Sample("s", "b", "v", "What is it?", "dog")
    exploration = Exploration(
        sample, parent, (CandidateRow("is fond of", "BALL", fact.object_id, "dropped"),), (Option(question, 0, 2),)
    )
    with Explorations() as explorations:
        explorations.add([exploration])
        assert repr([[exploration]]) == repr(list(explorations.batches()))
