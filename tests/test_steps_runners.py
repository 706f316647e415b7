"""The same run by each runner: over the network, by files taken back and forth, and by a provider's batches."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from model_cases import answered, samples, steps_asked

from kbe_graph.errors import ReplyAwaited
from kbe_graph.evolve.asking import Desk, Work, open_desk, work_by_batches, work_by_files
from kbe_graph.evolve.extraction import extract_by_asking
from kbe_graph.evolve.knowledge import packaged
from kbe_graph.evolve.mix import Mix
from kbe_graph.evolve.plan import Scope
from kbe_graph.evolve.with_model import ModelRun, model_plan
from kbe_graph.filters import FilterSettings
from kbe_graph.models.replies import apply_replies
from kbe_graph.models.shard import Shard
from kbe_graph.steps.asking import Asker
from kbe_graph.steps.extraction import ModelExtractor
from kbe_graph.store import Store
from kbe_graph.testing import Asked, LoopbackServer, batch_line
from kbe_graph.workspace import create_workspace

MIX = Mix("merged")


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(otherwise=answered) as one:
        yield one


@pytest.fixture
def desk(tmp_path: Path, server: LoopbackServer) -> Iterator[Desk]:
    flags = {"base_url": server.url, "model": "loopback"}
    with open_desk(create_workspace(tmp_path), flags=flags, images=[tmp_path]) as one:
        yield one


def work_of(store: Store, folder: Path, *, shard: Shard | None = None) -> Work:
    some = samples(folder)
    store.save_samples(some)

    async def work(asker: Asker) -> None:
        await extract_by_asking(store, some, ModelExtractor(asker).extract, batch=2)
        settings = FilterSettings(rare_rate=0)
        plan = replace(model_plan(Scope("r", hops=2), MIX, settings), batch=2, shard=shard)
        await ModelRun(create_workspace(folder), store, plan, MIX, settings, packaged(create_workspace(folder))).evolve(
            asker
        )

    return work


def replied(wave: Path) -> Path:
    """Write the replies that a provider would give to a wave."""
    lines = [json.loads(line) for line in wave.read_text().splitlines()]
    replies = [(one["custom_id"], Asked("POST", one["url"], {}, json.dumps(one["body"]).encode())) for one in lines]
    file = wave.with_suffix(".replies")
    file.write_bytes(b"".join(batch_line(call, answered(asked)) for call, asked in replies))
    return file


def test_by_files_a_wave_holds_all_that_can_be_asked(embedded_store: Store, tmp_path: Path, desk: Desk) -> None:
    work = work_of(embedded_store, tmp_path)
    sizes = []
    while files := asyncio.run(work_by_files(desk, work)):
        (wave,) = files
        sizes.append(len(wave.read_text().splitlines()))
        with pytest.raises(ReplyAwaited):
            asyncio.run(work_by_files(desk, work))
        assert apply_replies(replied(wave), desk.book, desk.calls).done == sizes[-1]
    assert sizes == [3, 3, 3]
    assert len(embedded_store.questions(run="r", hop=2)) == 3


def test_by_batches_the_run_comes_to_its_end(
    embedded_store: Store, tmp_path: Path, desk: Desk, server: LoopbackServer
) -> None:
    work = work_of(embedded_store, tmp_path)
    asyncio.run(work_by_batches(desk, work, ("graph", *MIX.steps), every=0.01))
    assert steps_asked(server.asked) == {"graph": 3, "hop": 6}
    assert len(embedded_store.questions(run="r", hop=2)) == 3


def test_shards_share_the_samples_out(embedded_store: Store, tmp_path: Path, desk: Desk) -> None:
    counts = []
    for index in (1, 2):
        work = work_of(embedded_store, tmp_path, shard=Shard(index, 2))
        asyncio.run(work_by_batches(desk, work, ("graph", *MIX.steps), every=0.01))
        counts.append(len(embedded_store.questions(run="r", hop=2)))
    assert counts[-1] == 3
    assert 0 <= counts[0] <= 3
