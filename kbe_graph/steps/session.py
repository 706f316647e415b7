"""Model sessions, and the runners of work that calls a model: over the network, by files, or by provider batches."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from kbe_graph.errors import ConfigError, ModelError, ReplyAwaited
from kbe_graph.files.image import ImageFolders
from kbe_graph.folder import Folder
from kbe_graph.models import Budget, CallStore, DirectModel, Images, Model, ModelBook, run
from kbe_graph.models.batch import BatchRunner, FileModel
from kbe_graph.models.settings import table_of
from kbe_graph.options import Runner
from kbe_graph.progress import Reporter
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.prompt import PACKAGED, PromptBook, read_prompts
from kbe_graph.text import check_name
from kbe_graph.types import Sample

Work = Callable[[Asker], Awaitable[None]]
CALLS = "calls.sqlite"
MOST_PICTURES = 1 << 14  # samples whose image paths are cached: every hop needs the same ones


@dataclass(frozen=True, slots=True)
class ModelSession:
    """Models of a workspace: settings, call store, images and prompts.

    ``folders`` are searched for images, and ``waves`` is the folder of batch files. ``section`` is [models] of
    kbe.toml; ``budget`` limits the command. ``runner`` says how calls are sent, and ``reporter`` is told of them.
    """

    book: ModelBook
    calls: CallStore
    pictures: Images
    folders: ImageFolders
    waves: Path
    language: str = "English"
    section: Mapping[str, Any] = field(default_factory=dict, repr=False)
    prompts: PromptBook = PACKAGED
    budget: Budget = field(default_factory=Budget)
    runner: Runner = "direct"
    reporter: Reporter = field(default_factory=Reporter)

    def do(self, work: Work, *steps: str, every: float = 30.0) -> tuple[Path, ...]:
        """Do work that asks the models of these steps; return the files of calls whose replies are awaited.

        Calls in flight are stored before an error of the work is raised. Batches are polled every ``every`` seconds.
        Raises ConfigError, before anything is asked, for a step whose key is missing; ReplyAwaited if the replies to an
        earlier wave of files are outstanding; and ModelError if no reply was usable.
        """
        if self.runner in {"batch", "file"} and self.budget.is_bounded:
            raise ConfigError(
                "a budget and a number of calls need runner 'direct'; estimate the cost of a batch before you send it"
            )
        if self.runner == "file":
            return run(self._by_files(work))
        for step in steps:
            self.book.settings_for(step).require_key()
        run(self._by_batches(work, steps, every) if self.runner == "batch" else self._directly(work))
        return ()

    def asker(self, model: Model) -> Asker:
        """Create an asker for this model."""
        find = lru_cache(MOST_PICTURES)(self.folders.find_all)

        def most_tokens(step: str) -> int | None:
            return self.section.get(table_of(step), {}).get("max_tokens") or self.section.get("max_tokens")

        return Asker(
            model, lambda sample: find(sample.images, sample.image_id), self.language, most_tokens, self.prompts
        )

    @property
    def renderer(self) -> Asker:
        """An asker that only renders requests: its model writes to a wave that is never closed."""
        return self.asker(self.file_model())

    def file_model(self) -> FileModel:
        """Create a model that writes requests to batch files."""
        return FileModel(self.book, self.calls, self.waves, images=self.pictures)

    def find(self, sample: Sample) -> tuple[Path, ...]:
        """Find the images of a sample; empty if one is missing."""
        return self.folders.find_all(sample.images, sample.image_id)

    async def _directly(self, work: Work) -> None:
        budget, reporter = self.budget, self.reporter
        model = DirectModel(self.book, self.calls, images=self.pictures, budget=budget, tell=reporter.warn)

        async def watch() -> None:
            while True:
                await asyncio.sleep(1)
                reporter.spent(model.progress)

        watching = asyncio.create_task(watch())
        try:
            async with model:
                await work(self.asker(model))
            model.check_end()
        finally:
            watching.cancel()
            reporter.spent(model.progress)

    async def _by_files(self, work: Work) -> tuple[Path, ...]:
        model = self.file_model()
        try:
            await work(self.asker(model))
        except ReplyAwaited:
            files = model.close()
            if not files:
                raise
            return files
        model.settle()
        return ()

    async def _by_batches(self, work: Work, steps: Iterable[str], every: float) -> None:
        steps_by_model = {self.book.settings_for(step).place: step for step in steps}
        while True:
            try:
                if not await self._by_files(work):
                    return
            except ReplyAwaited:
                pass  # of a command that was interrupted
            runners = [
                BatchRunner(self.book, step, self.calls, self.waves, every=every) for step in steps_by_model.values()
            ]
            if not any([sum(await runner.run()) for runner in runners]):
                raise ModelError(
                    "the batches returned no replies; look at the calls (`kbe calls`), then run the same command again"
                )


@contextmanager
def open_budget(folder: Folder, *, dollars: float | None = None, calls: int | None = None) -> Iterator[Budget]:
    """Open the budget of a command; if it is not reached, the next command retries the calls given up."""
    budget = Budget(dollars, calls=calls)
    yield budget
    if budget.given_up and not budget.is_reached:
        with closing(open_call_store(folder)) as store:
            store.give_up(*sorted(budget.given_up))


@contextmanager
def open_session(
    folder: Folder,
    *,
    flags: Mapping[str, Any],
    images: Sequence[Path] = (),
    language: str = "English",
    budget: Budget | None = None,
    runner: Runner = "direct",
    reporter: Reporter | None = None,
) -> Iterator[ModelSession]:
    """Open the models of a workspace, and close its call store at the end.

    ``flags`` are settings that take precedence over the environment and kbe.toml. ``images`` are image folders;
    ``budget`` comes from ``open_budget``, None for no limit. Raises ConfigError and ResourceError.
    """
    check_name("language", language)
    hidden = folder.hidden
    section = folder.config.section("models")
    book = ModelBook(section, flags=flags, environ=os.environ)
    prompts = read_prompts(folder.config, os.environ)
    calls = open_call_store(folder)
    folders = ImageFolders((*images, *folder.image_folders))
    try:
        pictures, waves = Images(hidden / "pictures"), hidden / "waves"
        yield ModelSession(
            *(book, calls, pictures, folders, waves, language, section, prompts, budget or Budget()),
            *(runner, reporter or Reporter()),
        )
    finally:
        calls.close()


def open_call_store(folder: Folder) -> CallStore:
    """Open the call store of a workspace, which the caller must close; raises ResourceError."""
    return CallStore(folder.hidden / CALLS)
