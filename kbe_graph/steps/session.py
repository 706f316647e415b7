"""Model sessions, and the runners of work that calls a model: over the network, by files, or by provider batches."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal

from kbe_graph.errors import ConfigError, ModelError, ReplyAwaited
from kbe_graph.files.image import ImageFolders
from kbe_graph.folder import Folder
from kbe_graph.models import Budget, CallStore, DirectModel, Images, Model, ModelBook, run
from kbe_graph.models.batch import BatchRunner, FileModel
from kbe_graph.models.call_store import given_up_row
from kbe_graph.models.direct_model import CallProgress
from kbe_graph.models.settings import table_of
from kbe_graph.progress import Reporter
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.prompt import PACKAGED, PromptBook, read_prompts
from kbe_graph.text import check_name
from kbe_graph.types import Sample

Runner = Literal["direct", "file", "batch"]
Work = Callable[[Asker], Awaitable[None]]
Watch = Callable[[CallProgress], None]
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

    def do(self, work: "Work", *steps: str) -> tuple[Path, ...]:
        """Do work that asks the models of these steps; return the files of calls whose replies are awaited.

        Raises ConfigError, before anything is asked, for a step whose key is missing.
        """
        if self.runner in {"batch", "file"} and self.budget.is_bounded:
            raise ConfigError(
                "a budget and a number of calls need runner 'direct'; estimate the cost of a batch before you send it"
            )
        if self.runner == "file":
            return run(run_by_files(self, work))
        for step in steps:
            self.book.settings_for(step).require_key()
        if self.runner == "batch":
            run(run_by_batches(self, work, steps))
        else:
            run(run_directly(self, work, self.budget, watch=self.reporter.spent, tell=self.reporter.warn))
        return ()

    def asker(self, model: Model) -> Asker:
        """Create an asker for this model."""
        most_tokens = partial(_most_tokens, self.section)
        return Asker(model, _Pictures(self.folders), self.language, most_tokens, self.prompts)

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


class _Pictures:
    """Finder of samples' images that caches their paths."""

    def __init__(self, folders: ImageFolders) -> None:
        self._folders = folders
        self._find = lru_cache(MOST_PICTURES)(folders.find_all)

    def __call__(self, sample: Sample) -> tuple[Path, ...]:
        return self._find(sample.images, sample.image_id)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without the cached paths."""
        return _Pictures, (self._folders,)


def _most_tokens(section: Mapping[str, Any], step: str) -> int | None:
    most: int | None = section.get(table_of(step), {}).get("max_tokens") or section.get("max_tokens")
    return most


@contextmanager
def open_budget(folder: Folder, *, dollars: float | None = None, calls: int | None = None) -> Iterator[Budget]:
    """Open the budget of a command; if it is not reached, the next command retries the calls given up."""
    budget = Budget(dollars, calls=calls)
    yield budget
    if budget.given_up and not budget.is_reached:
        with closing(open_call_store(folder)) as store:
            store.write(map(given_up_row, sorted(budget.given_up)))


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


async def run_directly(
    session: ModelSession,
    work: Work,
    budget: Budget,
    *,
    watch: Watch = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> None:
    """Do the work over the network; calls in flight are stored before an error of the work is raised.

    ``watch`` receives the progress every second and once more at the end; ``tell`` receives a line about each long wait
    and about each field that the endpoint does not accept. Raises ModelError if no reply was usable.
    """
    model = DirectModel(session.book, session.calls, images=session.pictures, budget=budget, tell=tell)
    watching = asyncio.create_task(_watch_progress(model, watch))
    try:
        async with model:
            await work(session.asker(model))
        model.check_end()
    finally:
        watching.cancel()
        watch(model.progress)


async def _watch_progress(model: DirectModel, watch: Watch) -> None:
    while True:
        await asyncio.sleep(1)
        watch(model.progress)


async def run_by_files(session: ModelSession, work: Work) -> tuple[Path, ...]:
    """Do as much of the work as the stored replies allow; return the files of the pending wave, none if all is done.

    Raises ReplyAwaited if the wave contains nothing new: replies of an earlier wave are outstanding.
    """
    model = session.file_model()
    try:
        await work(session.asker(model))
    except ReplyAwaited:
        files = model.close()
        if not files:
            raise
        return files
    model.settle()
    return ()


async def run_by_batches(session: ModelSession, work: Work, steps: Iterable[str], *, every: float = 30.0) -> None:
    """Do the work wave by wave through the providers' batch endpoints, polling every ``every`` seconds.

    Raises ModelError if a batch was rejected or came back without a reply.
    """
    steps_by_model = {session.book.settings_for(step).place: step for step in steps}
    while True:
        try:
            files = await run_by_files(session, work)
        except ReplyAwaited:
            files = (session.waves,)
        if not files:
            return
        applied = [
            await BatchRunner(
                session.book, step, session.calls, session.waves, images=session.pictures, every=every
            ).run()
            for step in steps_by_model.values()
        ]
        if not any(sum(replies) for replies in applied):
            raise ModelError(
                "the batches returned no replies; look at the calls (`kbe calls`), then run the same command again"
            )
