"""A real model: llama.cpp's server with SmolLM2 and the computed projector. It shows the machinery, not quality."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from local_model import LocalServer, draw_mosaic, local_book, local_server, weights_file, write_mosaics

from kbe_graph.checks import FilterSettings
from kbe_graph.datasets import read_benchmark
from kbe_graph.errors import NoCandidate, ResourceError
from kbe_graph.evolve.knowledge import packaged_knowledge
from kbe_graph.evolve.plan import plan_run
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.runs import evolve_asking
from kbe_graph.extract import read_annotations
from kbe_graph.extract.extraction import extract_by_asking, extract_samples
from kbe_graph.folder import create_folder
from kbe_graph.models import CallStore, DirectModel, Reply, Request, summary
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.extractor import ModelExtractor
from kbe_graph.steps.hop_steps import representative_step
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.store import Store
from kbe_graph.types import Sample

try:
    weights_file()
except ResourceError as missing:
    pytest.skip(str(missing), allow_module_level=True)

pytestmark = [pytest.mark.long, pytest.mark.ci]
# a turn as the examples of a prompt are: what a picture stands for in words, and what is said of it
SHOWN = (("user", " leaf stone bird lamp\n\nWhat is in the picture?"), ("assistant", "leaf stone bird lamp"))
READ = "\nWhat is in the picture?"
FEW = 24  # tokens of a reply: a model this small comes to no end of a form in five times as many


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    with local_server(tmp_path_factory.mktemp("local")) as server:
        yield server


@pytest.fixture
def calls(tmp_path: Path) -> Iterator[CallStore]:
    calls = CallStore(tmp_path / "calls.sqlite")
    yield calls
    calls.close()


def ask(server: LocalServer, calls: CallStore, *requests: Request) -> list[Reply]:
    async def asked() -> list[Reply]:
        async with DirectModel(local_book(server, max_tokens=FEW), calls) as model:
            return [await model.ask(request) for request in requests]

    return asyncio.run(asked())


def picture(folder: Path, words: Sequence[str]) -> Path:
    draw_mosaic(words).save(folder / "picture.png")
    return folder / "picture.png"


def look(folder: Path, words: Sequence[str], *, most: int) -> Request:
    return Request("look", (*SHOWN, ("user", READ)), images=(picture(folder, words),), max_tokens=most)


def test_the_icons_of_a_picture_are_read_aloud(server: LocalServer, calls: CallStore, tmp_path: Path) -> None:
    (reply,) = ask(server, calls, look(tmp_path, ["door", "book", "clock", "chair"], most=12))
    assert reply.text.split() == ["door", "book", "clock", "chair"]
    assert reply.model == server.model


def test_a_sample_is_extracted_and_evolved(
    server: LocalServer, calls: CallStore, embedded_store: Store, tmp_path: Path
) -> None:
    file = write_mosaics(tmp_path / "mosaics", count=1)
    samples = read_benchmark(file, benchmark="icons", split="test").samples
    embedded_store.save_samples(samples)
    first = asyncio.run(worked(server, calls, embedded_store, samples, file.parent))
    assert sum(first.values()) == 1
    assert set(embedded_store.sample_status()) == {sample.id for sample in samples}
    outcomes = {line.step: line.calls + sum(line.failures.values()) for line in summary(calls).lines}
    assert outcomes.keys() == {"graph", "hop", "representative"}
    assert min(outcomes.values()) >= 1
    evolved = embedded_store.questions(run="live", hop=1, status=None)
    assert {one.sample for one in evolved} == {sample.id for sample in samples}
    assert all(one.status == "kept" or one.reason for one in evolved)


async def worked(server: LocalServer, calls: CallStore, store: Store, samples: Sequence[Sample], place: Path) -> Any:
    """Extract by the model, then by a scene graph, evolve a hop, and ask for a verdict."""
    async with DirectModel(local_book(server, max_tokens=FEW), calls) as model:
        asker = Asker(model, lambda one: [place / one.image])
        counts = await extract_by_asking(store, samples, ModelExtractor(asker).extract)
    extract_samples(store, samples, read_annotations(scene_graphs=[scenes(place, samples)]), progress=lambda *_: None)
    await evolve(server, calls, store, place)
    question = store.questions(run="raw")[0]
    ask = representative_step(question, question.key[-1:])
    async with DirectModel(local_book(server, max_tokens=FEW), calls) as model:
        asker = Asker(model, lambda one: [place / one.image])
        with suppress(NoCandidate):
            await asker.ask(ask, samples[0])
    return counts


async def evolve(server: LocalServer, calls: CallStore, store: Store, place: Path) -> None:
    plan = plan_run(RunOptions("live", hops=1), FilterSettings(), ModelOptions(blind="off"))
    async with DirectModel(local_book(server, max_tokens=FEW), calls) as model:
        asker = Asker(model, lambda one: [place / one.image])
        workspace = create_folder(place / "w")
        await evolve_asking(workspace, store, plan, packaged_knowledge({}), asker)


def scenes(place: Path, samples: Sequence[Sample]) -> Path:
    """Write scene graphs that name each sample's icon."""
    box = {"x": 0, "y": 0, "w": 32, "h": 32, "attributes": [], "relations": []}
    graphs = {
        sample.image_id: {"width": 160, "height": 160, "objects": {"1": {"name": sample.answer, **box}}}
        for sample in samples
    }
    (place / "scenes.json").write_text(json.dumps(graphs))
    return place / "scenes.json"
