"""Runs work that asks a model by one of the runners: over the network, by files, or by a provider's batches."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from kbe_graph.datasets.image import ImageFolders
from kbe_graph.errors import ModelError, ReplyAwaited
from kbe_graph.models import Budget, CallStore, DirectModel, Images, Model, ModelBook
from kbe_graph.models.batches import BatchRunner
from kbe_graph.models.direct import Progress
from kbe_graph.models.wave import FileModel
from kbe_graph.steps.asking import Asker
from kbe_graph.types import Sample
from kbe_graph.workspace import Workspace

Runner = Literal["direct", "file", "batch"]
Work = Callable[[Asker], Awaitable[None]]
Watch = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Desk:
    """All that asking needs in a workspace: the models' settings, the kept calls, the pictures."""

    book: ModelBook
    calls: CallStore
    pictures: Images
    folders: ImageFolders
    waves: Path
    language: str = "English"
    section: Mapping[str, Any] = field(default_factory=dict)

    def asker(self, model: Model) -> Asker:
        """Return the asker of a model."""
        return Asker(model, self.find, self.language, self.most_tokens)

    @property
    def renderer(self) -> Asker:
        """An asker that renders requests; what it is asked would stand in a wave that is never written."""
        return self.asker(FileModel(self.book, self.calls, self.waves, images=self.pictures))

    def most_tokens(self, step: str) -> int | None:
        """Return the ``max_tokens`` that [models.<step>] or [models] of kbe.toml sets, None where neither does."""
        most: int | None = self.section.get(step, {}).get("max_tokens") or self.section.get("max_tokens")
        return most

    def find(self, sample: Sample) -> Path | None:
        """Return the picture of a sample, None where there is none."""
        return self.folders.find(sample.image, sample.image_id)


@contextmanager
def open_desk(
    workspace: Workspace, *, flags: Mapping[str, Any], images: Sequence[Path] = (), language: str = "English"
) -> Iterator[Desk]:
    """Give the desk of a workspace, whose call store is closed at the end; raises ConfigError and ResourceError."""
    hidden = workspace.hidden
    section = workspace.config.section("models")
    book = ModelBook(section, flags=flags, environ=os.environ)
    calls = open_calls(workspace)
    folders = ImageFolders((*images, hidden / "images", workspace.folder))
    try:
        yield Desk(book, calls, Images(hidden / "pictures"), folders, hidden / "waves", language, section)
    finally:
        calls.close()


def open_calls(workspace: Workspace) -> CallStore:
    """Return the call store of a workspace."""
    return CallStore(workspace.hidden / "calls.sqlite")


async def work_directly(desk: Desk, work: Work, budget: Budget, *, watch: Watch = lambda _: None) -> None:
    """Do the work over the network; raises what it raises, the calls that are out kept first.

    ``watch`` is told every second what was asked and spent so far, and once more at the end.
    """
    model = DirectModel(desk.book, desk.calls, images=desk.pictures, budget=budget)
    watching = asyncio.create_task(_watched(model, watch))
    try:
        async with model:
            await work(desk.asker(model))
    finally:
        watching.cancel()
        watch(model.progress)


async def _watched(model: DirectModel, watch: Watch) -> None:
    while True:
        await asyncio.sleep(1)
        watch(model.progress)


async def work_by_files(desk: Desk, work: Work) -> tuple[Path, ...]:
    """Do the work as far as the kept replies go; return the files of the wave that it waits for, none where it is done.

    Where nothing is new in the wave, replies of an earlier one are awaited, and ReplyAwaited is raised.
    """
    model = FileModel(desk.book, desk.calls, desk.waves, images=desk.pictures)
    try:
        await work(desk.asker(model))
    except ReplyAwaited:
        files = model.close()
        if not files:
            raise
        return files
    return ()


async def work_by_batches(desk: Desk, work: Work, steps: Iterable[str], *, every: float = 30.0) -> None:
    """Do the work wave by wave through the providers' batch endpoints; raises ModelError where a batch was refused."""
    models = {desk.book.settings_for(step).place: step for step in steps}
    while True:
        try:
            files = await work_by_files(desk, work)
        except ReplyAwaited:
            files = (desk.waves,)
        if not files:
            return
        taken = [
            await BatchRunner(desk.book, step, desk.calls, desk.waves, images=desk.pictures, every=every).run()
            for step in models.values()
        ]
        if not any(sum(one) for one in taken):
            raise ModelError(
                "the batches came back without a reply; look at 'kbe calls', then run the same command again"
            )
