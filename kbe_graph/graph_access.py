"""A workspace's folder and graph: the graph is opened at first need."""

import os
import warnings
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from weakref import finalize

from kbe_graph.config import warm_seconds
from kbe_graph.errors import InputError, KbeWarning
from kbe_graph.folder import Folder, open_folder
from kbe_graph.progress import Reporter
from kbe_graph.store import Address, Store, open_store
from kbe_graph.store.backup import Backup
from kbe_graph.store.engine import running
from kbe_graph.types import (
    EXPLORING,
    FORMS,
    RAW,
    Form,
    Prediction,
    Progress,
    QuestionForm,
    QuestionVariant,
    RunRecord,
    Variant,
)

FURTHER = "-further"  # ends the name of a run of drafts, by which ``adapt`` explores a run's samples once more


class OpenGraph:
    """Gives the store of a folder, open from the first use until ``close``, or until nobody has it any more."""

    def __init__(self, folder: Folder, address: Address | None) -> None:
        self._folder, self._address = folder, address
        self._stack = ExitStack()
        self._store: Store | None = None
        self._engine = 0  # the process of the engine that the store was opened on, where there is one
        finalize(self, self._stack.close)

    @property
    def is_open(self) -> bool:
        """Whether the store is open."""
        return self._store is not None

    @property
    def store(self) -> Store:
        """The open store; where its engine was ended, as another program's query is, one that is opened anew.

        Raises ConfigError and StoreError.
        """
        if self._store is not None and self._engine and self._engine != self._running():
            self.close()
        return self._store or self._enter()

    def restore(self, file: Path, *, replace: bool, progress: Progress) -> Backup:
        """Put a backup into the graph, also where an earlier restore was interrupted.

        Raises as ``store``, and InputError. Where it fails the store is closed, so that half a backup is not read on.
        """
        try:
            store = self._store or self._enter(restoring=True)
            return store.restore(file, replace=replace, progress=progress)
        except BaseException:  # an interrupt leaves half a backup too; it is raised again below
            self.close()
            raise

    def _enter(self, *, restoring: bool = False) -> Store:
        open_folder(self._folder.path)  # one that is gone by now is not made again
        warm = warm_seconds(self._folder.config, os.environ)
        opened = open_store(self._folder.hidden, self._address, warm=warm, restoring=restoring)
        self._store = self._stack.enter_context(opened)
        self._engine = 0 if self._address else self._running()
        return self._store

    def _running(self) -> int:
        record = running(self._folder.hidden)
        return record.pid if record else 0

    def close(self) -> None:
        """Close the store; the next use opens it again."""
        self._store = None
        self._stack.close()


class GraphAccess:
    """The parts of a workspace that its methods share: folder, graph, the graph's address, and the reporter."""

    def __init__(self, folder: Folder, address: Address | None, reporter: Reporter) -> None:
        self.folder, self.address, self.reporter = folder, address, reporter
        self.graph = OpenGraph(folder, address)

    @property
    def store(self) -> Store:
        """The open graph."""
        if self.graph.is_open:
            return self.graph.store
        with self.reporter.waiting("opening the graph"):
            return self.graph.store

    def choose_run(self, name: str | None, *, incomplete: bool = False, exploring: bool = False) -> str | None:
        """Choose the run of a name, or without one the only run, or the newest; None without any run.

        Runs that failed or were interrupted are left out unless ``incomplete`` is set, or ``exploring`` if `adapt` was
        exploring further, and those of the drafts that ``adapt`` explores always; a round is newer than the run that it
        came of. Warns (KbeWarning) of a choice among several runs and of those left out. Raises InputError for an
        unknown name, and for an unfinished run.
        """
        self.store.require_run(name)
        runs, accepted = self.store.runs(), {"complete", EXPLORING if exploring else ""}
        if name is not None:
            state = next(run.state for run in runs if run.name == name)
            if state not in accepted and not incomplete:
                remedy = "repeat the command that makes it, or accept it with `incomplete`"
                raise InputError(f"run {name!r} is not finished ({state}); {remedy}")
            return name
        runs = runs_to_choose(self.folder, runs)
        chosen = [run for run in runs if incomplete or run.state in accepted]
        newest = chosen[0] if chosen else None
        if newest is not None and len(chosen) > 1:
            others = ", ".join(sorted(run.name for run in chosen if run is not newest))
            _warn(f"using the newest of several runs, {newest.name!r}; the others are {others}; choose one with `run`")
        if omitted := sorted(f"{run.name} ({run.state})" for run in runs if run not in chosen):
            _warn(f"left out because they are unfinished: {', '.join(omitted)}; `incomplete` includes such runs")
        return newest.name if newest else None

    def predictions(self, run: str | None, model: str | None = None) -> list[Prediction]:
        """Read the answers of all models, or of one, to the raw questions and those of a run."""
        return [each for name in with_raw(run) for each in self.store.predictions(run=name, model=model)]

    def forms(self, run: str | None, form: Form | None = None) -> list[QuestionForm]:
        """Read the raw questions and those of a run in their other forms, or in one."""
        return [each for name in with_raw(run) for each in self.store.forms(run=name, form=form)]

    def forms_by_id(self, run: str | None, variants: Iterable[Variant]) -> dict[str, QuestionForm]:
        """Read the forms of the raw questions and those of a run, by their ids; none where no variant is a form."""
        return {each.id: each for each in self.forms(run)} if {*FORMS}.intersection(variants) else {}

    def variants(self, run: str | None, operation: str | None = None) -> list[QuestionVariant]:
        """Read the variants of the raw questions and those of a run, by all operations or one, refusals among them."""
        return [each for name in with_raw(run) for each in self.store.variants(run=name, operation=operation)]


def with_raw(run: str | None) -> tuple[str, ...]:
    """Return the names under which the raw questions and those of a run are kept."""
    return (RAW,) if run is None else (RAW, run)


def runs_to_choose(folder: Folder, runs: Sequence[RunRecord]) -> list[RunRecord]:
    """List the runs that can be chosen, the newest first; those of the drafts that ``adapt`` explores are none."""
    explored = {run.name + FURTHER for run in runs}
    own = [run for run in runs if run.name not in explored]
    return sorted(own, key=lambda run: (*_last_work(folder, run), run.name), reverse=True)


def _last_work(folder: Folder, run: RunRecord) -> tuple[str, int]:
    """Return when a run was last worked on, or the one that it came of by rounds, and the number of its round."""
    settings = dict(run.settings)
    manifests = [folder.read_manifest(name) for name in (run.name, settings.get("rounds of", run.name))]
    times = (str(each.get("ended") or each.get("started") or "") for each in manifests)
    return max(times), int(settings.get("round", 0))


def _warn(message: str) -> None:
    warnings.warn(message, KbeWarning, stacklevel=4)
