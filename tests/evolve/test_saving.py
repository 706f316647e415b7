"""A hop is written while the next one begins with what is there; what fails is told to whoever waits."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from kbe_graph.checks import FilterSettings
from kbe_graph.datasets import read_benchmark
from kbe_graph.datasets.benchmark import demo_files
from kbe_graph.errors import StoreError
from kbe_graph.evolve.driver import evolve
from kbe_graph.evolve.knowledge import packaged_knowledge
from kbe_graph.evolve.plan import rule_plan
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.runs import evolution_of
from kbe_graph.evolve.saving import SavedHop
from kbe_graph.extract import read_annotations
from kbe_graph.extract.extraction import extract_samples
from kbe_graph.folder import create_folder
from kbe_graph.models import loop
from kbe_graph.store import Evolved, Store, open_store
from kbe_graph.types import Provenance, Question

SETTINGS = FilterSettings()
BATCH = 3
PATIENCE = 20  # seconds


def batch(*samples: str) -> list[Evolved]:
    """Return a question of each sample."""
    made = Provenance("rule", 0)
    return [
        Evolved(Question(f"{sample}@r/1", sample, "r", 1, "explored", "What?", "x", (), "", provenance=made))
        for sample in samples
    ]


class Writer:
    """Notes the samples whose questions it is given; those of ``failing`` fail, those of ``slow`` wait for a word."""

    def __init__(self, *, slow: str = "", failing: str = "") -> None:
        self.slow, self.failing = slow, failing
        self.word, self.begun = threading.Event(), threading.Event()
        self.written: list[str] = []

    def save_questions(self, questions: Sequence[Evolved]) -> None:
        names = [each.question.sample for each in questions]
        if set(names) & set(self.slow):
            self.begun.set()
            assert self.word.wait(PATIENCE)
        if set(names) & set(self.failing):
            raise StoreError("the disk is full")
        self.written += names


def saved(writer: Writer, opened: ExitStack | None = None) -> SavedHop:
    """Begin to save the questions of six samples, two at a time."""
    batches = [batch("a", "b"), batch("c", "d"), batch("e", "f")]
    return SavedHop(writer, batches, "abcdef", opened)  # type: ignore[arg-type]  # it is only asked to save


def test_a_batch_that_is_written_is_gone_on_from_while_the_next_is_written() -> None:
    async def run() -> None:
        writer = Writer(slow="c")
        async with saved(writer) as hop:
            await hop.of(["a", "b"])
            assert writer.written == ["a", "b"]
            waiting = asyncio.create_task(hop.of(["b", "c"]))
            await asyncio.to_thread(writer.begun.wait, PATIENCE)
            assert not waiting.done()
            writer.word.set()
            await waiting
        assert writer.written == list("abcdef")

    asyncio.run(run())


def test_what_writing_raises_is_raised_where_it_is_waited_for() -> None:
    async def run() -> None:
        hop = saved(Writer(failing="d"))
        await hop.of(["a"])
        for waiting in (hop.of(["e"]), hop.all(), hop.__aexit__(None)):
            with pytest.raises(StoreError, match="disk is full"):
                await waiting

    asyncio.run(run())


def test_who_is_cancelled_waits_for_the_batch_at_hand_alone() -> None:
    async def run(writer: Writer, opened: ExitStack) -> None:
        async with saved(writer, opened):
            await asyncio.to_thread(writer.begun.wait, PATIENCE)
            asyncio.get_running_loop().call_later(0.2, writer.word.set)
            raise asyncio.CancelledError

    writer, closed = Writer(slow="a"), threading.Event()
    with ExitStack() as opened:
        opened.callback(closed.set)
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(run(writer, opened.pop_all()))
    assert writer.written == ["a", "b"]
    assert closed.is_set()


def test_an_error_of_the_next_hop_leaves_the_one_before_whole() -> None:
    async def run(writer: Writer) -> None:
        async with saved(writer) as hop:
            await hop.of(["a"])
            raise StoreError("the next hop failed")

    writer = Writer()
    with pytest.raises(StoreError, match="next hop failed"):
        asyncio.run(run(writer))
    assert writer.written == list("abcdef")


@dataclass(frozen=True)
class WaitingStore(Store):
    """A store that does not write hop 1 of its last sample before others are read for hop 2."""

    last: str = ""
    read: threading.Event = field(default_factory=threading.Event)

    def save_questions(self, items: Sequence[Evolved]) -> None:
        """Save, the last batch of hop 1 when another one is read."""
        if any(each.question.hop == 1 and each.question.sample == self.last for each in items):
            assert self.read.wait(PATIENCE)
        super().save_questions(items)

    def questions(self, **narrow: Any) -> list[Question]:
        """Return questions."""
        if narrow.get("hop") == 1:
            self.read.set()
        return super().questions(**narrow)


@pytest.fixture
def extracted(tmp_path: Path) -> Iterator[Store]:
    """Give the demo, extracted."""
    place, folder = demo_files(), create_folder(tmp_path)
    with open_store(folder.hidden) as store:
        store.save_samples(read_benchmark(place.samples, benchmark="demo", split="demo").samples)
        annotations = read_annotations(scene_graphs=[place.scene_graphs])
        extract_samples(store, store.samples(), annotations, progress=lambda *_: None)
        yield store


def test_hop_two_begins_while_hop_one_is_written_and_makes_the_same_questions(extracted: Store, tmp_path: Path) -> None:
    knowledge = packaged_knowledge(create_folder(tmp_path))

    def evolved(store: Store, run: str) -> list[tuple[Any, ...]]:
        plan = replace(rule_plan(RunOptions(run, hops=2), SETTINGS), batch=BATCH)
        loop.run(evolve(evolution_of(store, plan, knowledge)))
        questions = store.questions(run=run, status=None)
        return [(each.sample, each.hop, each.text, each.answer, each.reason) for each in questions]

    whole = evolved(extracted, "whole")
    last = max(extracted.question_samples(run="whole", hop=1, status=None))
    store = WaitingStore(extracted.connection, last)
    assert evolved(store, "behind") == whole
    assert store.read.is_set()
    assert len({sample for sample, hop, *_ in whole if hop == 2}) > BATCH
