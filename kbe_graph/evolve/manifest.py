"""Name of a run in the graph and its manifest, ``.kbe/runs/<name>/run.json``: settings, versions and counts."""

import fcntl
import os
import platform
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from kbe_graph.english.parse import parser_name
from kbe_graph.errors import BudgetReached, ConfigError, KbeError, KbeWarning, ReplyAwaited, ResourceError
from kbe_graph.evolve.plan import Plan, sample_ids
from kbe_graph.folder import Folder
from kbe_graph.store import Store
from kbe_graph.types import Extraction, RunRecord

PACKAGES = ("kbe-graph", "arcadedb-embedded", "neo4j", "spacy", "lemminflect", "openai")


def claim(store: Store, run: RunRecord) -> None:
    """Claim a run's name, or resume the run; raises ConfigError if it was made with other settings."""
    kept = {kept.name: kept for kept in store.runs()}
    if run.name in kept and kept[run.name] != run:
        old, new = dict(kept[run.name].settings), dict(run.settings)
        names = sorted(name for name in {*old, *new} if old.get(name) != new.get(name)) or ["seed"]
        other = ", ".join(names)
        raise ConfigError(f"run {run.name!r} was made with different settings ({other}); name another run with `run`")
    store.save_run(replace(run, state="running"))


@contextmanager
def write_manifest(folder: Folder, store: Store, plan: Plan, **more: Any) -> Iterator[dict[str, Any]]:
    """Write the manifest at the start, yield it for additions, and complete it at the end.

    ``ended`` is null in the manifest of an interrupted run. Warns (KbeWarning) if the run's graphs were extracted with
    different parsers. Raises InputError if the manifest cannot be written, ConfigError if the run was made with other
    settings, and ResourceError if another process makes it. The graph records whether the run was completed; a waiting
    or killed run stays marked as running.
    """
    run = plan.run
    with _alone(folder, run.name):
        claim(store, run)
        manifest: dict[str, Any] = {
            "run": run.name,
            "seed": run.seed,
            "settings": dict(run.settings),
            "versions": {"python": platform.python_version()} | _versions(),
            "parser": parser_name(),
            "graphs": [{**asdict(extraction), "samples": count} for extraction, count in _extractions(store, plan)],
            **more,
            "started": _now(),
            "ended": None,
        }
        start = time.monotonic()
        folder.write_manifest(run.name, manifest)
        try:
            yield manifest
        except (BudgetReached, ReplyAwaited):
            raise
        except Exception:  # any failure; raised again below
            with suppress(KbeError):
                store.save_run(replace(run, state="failed"))
            raise
        store.save_run(replace(run, state="complete"))
        manifest |= {"ended": _now(), "seconds": round(time.monotonic() - start, 1), "counts": store.status(run.name)}
        folder.write_manifest(run.name, manifest)


@contextmanager
def _alone(folder: Folder, run: str) -> Iterator[None]:
    descriptor = os.open(folder.run_folder(run), os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ResourceError(f"another process is making run {run!r}; wait for its end, or end it") from None
        yield
    finally:
        os.close(descriptor)


def _extractions(store: Store, plan: Plan) -> list[tuple[Extraction, int]]:
    extractions = store.extractions(sample_ids(store, plan.options))
    parsers: Counter[str] = Counter()
    for extraction, count in extractions:
        parsers[extraction.parser or "an unknown parser"] += count
    if len(parsers) > 1:
        tally = ", ".join(f"{count} with {parser}" for parser, count in parsers.most_common())
        warnings.warn(
            f"the graphs of run {plan.run.name!r} were read with different parsers ({tally}), which changes "
            "the questions that a sample gets; extract all of them with one parser, in a new workspace",
            KbeWarning,
            stacklevel=4,
        )
    return extractions


def _versions() -> dict[str, str]:
    versions = {}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
