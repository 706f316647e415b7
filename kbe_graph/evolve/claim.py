"""A run's name in the graph: who claims it, and how far it came."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from kbe_graph.errors import BudgetReached, ConfigError, KbeError, PartsAwaited, ReplyAwaited
from kbe_graph.store import Store
from kbe_graph.store.stored_parts import work_of_run
from kbe_graph.types import RunRecord


def claim(store: Store, run: RunRecord) -> None:
    """Take a run's name, or go on with the run; raises ConfigError where it was made with other settings."""
    kept = {kept.name: kept for kept in store.runs()}
    if run.name in kept and kept[run.name] != run:
        other = ", ".join(differing_settings(kept[run.name], run))
        raise ConfigError(f"run {run.name!r} was made with other settings ({other}); name another with `run=...`")
    store.save_run(replace(run, state="running"))


def differing_settings(theirs: RunRecord, ours: RunRecord) -> list[str]:
    """Return the names of the settings in which two runs differ, where they do."""
    old, new = dict(theirs.settings), dict(ours.settings)
    return sorted(name for name in {*old, *new} if old.get(name) != new.get(name)) or ["seed"]


@contextmanager
def marking_end(store: Store, run: RunRecord) -> Iterator[None]:
    """Mark a run complete at the end, or failed; one that waits, or was killed, stays running."""
    try:
        yield
    except (BudgetReached, PartsAwaited, ReplyAwaited):
        raise
    except Exception:  # whatever it failed of, it is raised again below
        with suppress(KbeError):
            store.save_run(replace(run, state="failed"))
        raise
    store.save_run(replace(run, state="complete"))
    store.forget_parts(work_of_run(run.name))


@contextmanager
def forgetting_failed(store: Store, name: str) -> Iterator[None]:
    """Forget a run that was begun within, if what it was begun for fails."""
    before = {run.name for run in store.runs()}
    try:
        yield
    except BaseException:  # an interrupt too; it is raised again below
        if name not in before:
            with suppress(KbeError):
                store.forget_run(name)
        raise
