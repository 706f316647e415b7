"""Model sessions, and the runners of work that calls a model: over the network, by files, or by provider batches."""

import asyncio
import os
import re
import warnings
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from kbe_graph.config import nearest_name
from kbe_graph.english.words import words
from kbe_graph.errors import ConfigError, InputError, KbeWarning, ModelError, ReplyAwaited
from kbe_graph.files.image import ImageFolders
from kbe_graph.folder import Folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import Budget, CallStore, DirectModel, Images, Model, ModelBook, run
from kbe_graph.models.batch import FileModel, run_batches
from kbe_graph.options import Runner
from kbe_graph.progress import Reporter
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.model_options import ModelOptions, model_options, paths
from kbe_graph.steps.prompt import own_prompts
from kbe_graph.text import check_name
from kbe_graph.types import Sample

Work = Callable[[Asker], Awaitable[None]]
CALLS = "calls.sqlite"
MOST_PICTURES = 1 << 14  # samples whose image paths are cached: every hop needs the same ones


@dataclass(frozen=True, slots=True)
class ModelSession:
    """Models of a workspace: settings, call store, images and prompts.

    ``folders`` are searched for images, and ``waves`` is the folder of batch files. ``budget`` limits the command,
    ``runner`` says how calls are sent, and ``reporter`` is told of them.
    """

    book: ModelBook
    calls: CallStore
    pictures: Images
    folders: ImageFolders
    waves: Path
    language: str = "English"
    prompts: Path | None = None
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
        self.tell_addresses(*steps)
        if self.runner == "file":
            return run(self._by_files(work))
        for step in steps:
            self.book.settings_for(step).require_key()
        run(self._by_batches(work, steps, every) if self.runner == "batch" else self._directly(work))
        return ()

    def tell_addresses(self, *steps: str) -> None:
        """Warn (KbeWarning) where kept replies came from, if the address of a step's model gave none of them."""
        for settings in map(self.book.settings_for, steps):
            kept = self.calls.addresses(settings.step, settings.model)
            if kept and settings.base_url not in kept:
                places = ", ".join(f"{url} ({count})" for url, count in kept.items())
                warnings.warn(
                    f"replies of {settings.model!r} to step {settings.step!r} are kept from {places} and not asked for "
                    f"again at {settings.base_url}; for another checkpoint, use another name as --model, and name the "
                    "served one in [models] body = { model = ... }",
                    KbeWarning,
                    stacklevel=5,
                )
                return

    def asker(self, model: Model) -> Asker:
        """Create an asker for this model."""
        return Asker(model, lru_cache(MOST_PICTURES)(self.find), self.language, self.prompts)

    def find(self, sample: Sample) -> tuple[Path, ...]:
        """Find the images of a sample; empty if one is missing."""
        return self.folders.of(sample)

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
            reporter.lost += model.tell_refused()
        finally:
            watching.cancel()
            reporter.spent(model.progress)

    async def _by_files(self, work: Work) -> tuple[Path, ...]:
        model = FileModel(self.book, self.calls, self.waves, images=self.pictures)
        try:
            await work(self.asker(model))
        except ReplyAwaited:
            if files := model.close():
                return files
            raise
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
            waves = (self.book, self.calls, self.waves)
            counts = [await run_batches(step, *waves, every=every) for step in steps_by_model.values()]
            if not any(map(sum, counts)):
                raise ModelError(
                    "the batches returned no replies; look at the calls (`kbe calls`), then run the same command again"
                )


@contextmanager
def open_budget(folder: Folder, model: ModelOptions) -> Iterator[Budget]:
    """Open the budget of a command; if it is not reached, the next command retries the calls given up."""
    budget = Budget(model.budget, calls=model.max_calls)
    try:
        yield budget
    finally:  # also after an error: that no call had a usable reply
        if budget.given_up and not budget.is_reached:
            with closing(open_call_store(folder)) as store:
                store.give_up(*sorted(budget.given_up))


def check_language(name: str) -> None:
    """Raise InputError unless a word of a name is the English name of a language or its code of ISO 639-1."""
    check_name("language", name)
    languages = words("languages")
    if languages.isdisjoint(re.split(r"[\W_]+", name.casefold())):
        near = nearest_name(name.casefold(), languages)
        raise InputError(f"no known language {name!r}; {near}write its English name or two-letter code")


@contextmanager
def open_session(
    model: ModelOptions | str, access: GraphAccess, budget: Budget | None = None
) -> Iterator[ModelSession]:
    """Open the models of a workspace, and close its call store at the end.

    ``budget`` is that of the whole command, if this is a part of it. Raises ConfigError and ResourceError.
    """
    options, folder = model_options(model), access.folder
    check_language(options.language)
    flags = {"base_url": options.base_url, "key": options.api_key, "model": options.name}
    with ExitStack() as stack:
        held = budget or stack.enter_context(open_budget(folder, options))
        book = ModelBook(folder.config.section("models"), flags=flags, environ=os.environ)
        prompts = own_prompts(folder.config, os.environ)
        calls = stack.enter_context(closing(open_call_store(folder)))
        pictures, waves = Images(folder.hidden / "pictures"), folder.hidden / "waves"
        folders = folder.images(*paths(options.images))
        way = prompts, held, options.runner, access.reporter
        yield ModelSession(book, calls, pictures, folders, waves, options.language, *way)


@contextmanager
def open_sessions(access: GraphAccess, *models: ModelOptions | str | None) -> Iterator[Sequence[ModelSession | None]]:
    """Open a session for each model, None for None; those without a limit of their own share that of the first.

    Raises ConfigError and ResourceError.
    """
    budget: Budget | None = None
    sessions: list[ModelSession | None] = []
    with ExitStack() as stack:
        for model in models:
            own = None if model is None or model_options(model).bounds_calls else budget
            session = None if model is None else stack.enter_context(open_session(model, access, own))
            budget = budget or (session.budget if session else None)
            sessions.append(session)
        yield sessions


def open_call_store(folder: Folder) -> CallStore:
    """Open the call store of a workspace, which the caller must close; raises ResourceError."""
    return CallStore(folder.hidden / CALLS)
