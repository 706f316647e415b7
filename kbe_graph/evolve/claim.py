"""A run's name in the graph: who claims it, and how far it came."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from kbe_graph.errors import BudgetReached, ConfigError, KbeError, ReplyAwaited
from kbe_graph.store import Store
from kbe_graph.types import RunRecord


def claim(store: Store, run: RunRecord) -> None:
    """Take a run's name, or go on with the run; raises ConfigError where it was made with other settings."""
    kept = {kept.name: kept for kept in store.runs()}
    if run.name in kept and kept[run.name] != run:
        theirs, ours = dict(kept[run.name].settings), dict(run.settings)
        other = sorted(name for name in {*theirs, *ours} if theirs.get(name) != ours.get(name)) or ["seed"]
        raise ConfigError(
            f"run {run.name!r} was made with other settings ({', '.join(other)}); name another with --run"
        )
    store.save_run(replace(run, state="running"))


@contextmanager
def marking_end(store: Store, run: RunRecord) -> Iterator[None]:
    """Mark a run complete at the end, or failed; one that a budget or a batch stopped, or a kill, stays running."""
    try:
        yield
    except (BudgetReached, ReplyAwaited):
        raise
    except Exception:
        with suppress(KbeError):
            store.save_run(replace(run, state="failed"))
        raise
    store.save_run(replace(run, state="complete"))


@contextmanager
def forgetting_failed(store: Store, name: str) -> Iterator[None]:
    """Forget a run that was begun within, if what it was begun for fails."""
    before = {run.name for run in store.runs()}
    try:
        yield
    except BaseException:
        if name not in before:
            with suppress(KbeError):
                store.forget_run(name)
        raise
