"""The same run by each runner: over the network, by files taken back and forth, and by a provider's batches."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from loopback_http import batch_line
from loopback_server import LoopbackRequest, LoopbackServer
from model_cases import answer_step, asking, samples, session_at, steps_asked

from kbe_graph.checks import FilterSettings
from kbe_graph.errors import ReplyAwaited
from kbe_graph.evolve.knowledge import packaged_knowledge
from kbe_graph.evolve.plan import plan_run
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.runs import evolve_asking
from kbe_graph.extract.extraction import extract_by_asking
from kbe_graph.folder import create_folder
from kbe_graph.models.batch import apply_replies
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.extractor import ModelExtractor
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.steps.session import ModelSession, Work
from kbe_graph.store import Store

MIX, VERIFYING = asking(), asking(verify=True)


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(otherwise=answer_step) as server:
        yield server


@pytest.fixture
def session(tmp_path: Path, server: LoopbackServer) -> Iterator[ModelSession]:
    with session_at(server.url, tmp_path) as session:
        yield session


def steps_of(model: ModelOptions) -> tuple[str, ...]:
    return plan_run(RunOptions("r"), FilterSettings(), model).steps


def work_of(store: Store, folder: Path, *, mix: ModelOptions = MIX) -> Work:
    loaded = samples(folder)
    store.save_samples(loaded)

    async def work(asker: Asker) -> None:
        await extract_by_asking(store, loaded, ModelExtractor(asker).extract)
        settings = FilterSettings()
        plan = replace(plan_run(RunOptions("r", hops=2), settings, mix), batch=2)
        place = create_folder(folder)
        await evolve_asking(place, store, plan, packaged_knowledge({}), asker)

    return work


def replied(wave: Path) -> Path:
    """Write the replies that a provider would give to a wave."""
    lines = [json.loads(line) for line in wave.read_text().splitlines()]
    replies = [
        (line["custom_id"], LoopbackRequest("POST", line["url"], {}, json.dumps(line["body"]).encode()))
        for line in lines
    ]
    file = wave.with_suffix(".replies")
    file.write_bytes(b"".join(batch_line(call, answer_step(request)) for call, request in replies))
    return file


def test_by_files_a_wave_holds_all_that_can_be_asked(
    embedded_store: Store, tmp_path: Path, session: ModelSession
) -> None:
    work = work_of(embedded_store, tmp_path, mix=VERIFYING)
    sizes = []
    by_files = replace(session, runner="file")
    while files := by_files.do(work):
        (wave,) = files
        sizes.append(len(wave.read_text().splitlines()))
        with pytest.raises(ReplyAwaited):
            by_files.do(work)
        assert apply_replies(replied(wave), session.book, session.calls).done == sizes[-1]
    assert sizes[:3] == [3, 3, 3]
    assert max(sizes) == 3
    assert len(embedded_store.questions(run="r", hop=2)) == 3


def test_by_batches_the_run_comes_to_its_end(
    embedded_store: Store, tmp_path: Path, session: ModelSession, server: LoopbackServer
) -> None:
    work = work_of(embedded_store, tmp_path, mix=VERIFYING)
    replace(session, runner="batch").do(work, "extract", "key", *steps_of(VERIFYING), every=0.01)
    assert steps_asked(server.requests) == {
        "extract": 3,
        "key": 3,
        "knowledge": 6,
        "representative": 6,
        "express": 6,
    } | {
        "verify": 4,
        "inspect": 4,
    }
    assert len(embedded_store.questions(run="r", hop=2)) == 3
