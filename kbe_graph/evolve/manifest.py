"""Name of a run in the graph and its manifest, ``.kbe/runs/<name>/run.json``: settings, versions and counts."""

import fcntl
import json
import os
import platform
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from heapq import nsmallest
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from kbe_graph.english.parse import parser_name
from kbe_graph.errors import BudgetReached, ConfigError, KbeError, KbeWarning, ReplyAwaited, ResourceError
from kbe_graph.evaluate.guess import guess
from kbe_graph.evaluate.guessers import PARTS, BlindQuestion, blind_question_of
from kbe_graph.evolve.plan import Plan, sample_ids
from kbe_graph.extras import __version__, has_extra
from kbe_graph.files.whole import private_folder, replacing
from kbe_graph.folder import Folder
from kbe_graph.seeds import seed_of
from kbe_graph.statistics.question_statistics import hop_varieties
from kbe_graph.store import Store
from kbe_graph.types import RAW, Extraction, RunRecord

PACKAGES = ("arcadedb-embedded", "neo4j", "spacy", "lemminflect", "openai")
GUESSED_FROM = 500  # samples; with fewer, the shares say little
MOST_GUESSED = 2_000  # questions per hop, drawn reproducibly; the time grows with their square


def claim(store: Store, run: RunRecord) -> None:
    """Claim a run's name, or resume the run; raises ConfigError if it was made with other settings."""
    kept = {kept.name: kept for kept in store.runs()}
    if run.name in kept and kept[run.name] != run:
        other = ", ".join(differing_settings(kept[run.name], run))
        raise ConfigError(f"run {run.name!r} was made with different settings ({other}); name another run with `run`")
    store.save_run(replace(run, state="running"))


def differing_settings(theirs: RunRecord, ours: RunRecord) -> list[str]:
    """List the settings in which two differing runs differ."""
    old, new = dict(theirs.settings), dict(ours.settings)
    return sorted(name for name in {*old, *new} if old.get(name) != new.get(name)) or ["seed"]


@contextmanager
def marking_end(store: Store, run: RunRecord) -> Iterator[None]:
    """Mark a run as complete or failed at the end; a waiting or killed run stays marked as running."""
    try:
        yield
    except (BudgetReached, ReplyAwaited):
        raise
    except Exception:  # any failure; raised again below
        with suppress(KbeError):
            store.save_run(replace(run, state="failed"))
        raise
    store.save_run(replace(run, state="complete"))


@contextmanager
def forgetting_failed(store: Store, name: str) -> Iterator[None]:
    """Forget a run that was started within the block if the block fails."""
    before = {run.name for run in store.runs()}
    try:
        yield
    except BaseException:  # interrupts, too; raised again below
        if name not in before:
            with suppress(KbeError):
                store.forget_run(name)
        raise


@contextmanager
def write_manifest(folder: Folder, store: Store, plan: Plan, **more: Any) -> Iterator[dict[str, Any]]:
    """Write the manifest at the start, yield it for additions, and complete it at the end.

    The end adds counts, seconds, variety and the accuracy of guessing. ``ended`` is null in the manifest of an
    interrupted run. Warns (KbeWarning) if the run's graphs were extracted with different parsers. Raises InputError if
    the manifest cannot be written, and ConfigError if the run was made with other settings. The graph records whether
    the run was completed.
    """
    run, file = plan.run, folder.manifest(plan.run.name)
    with _alone(file.parent, run.name):
        claim(store, run)
        extractions = _extractions(store, plan)
        manifest: dict[str, Any] = {
            "run": run.name,
            "seed": run.seed,
            "settings": dict(run.settings),
            "versions": {"kbe-graph": __version__, "python": platform.python_version()} | _versions(),
            "parser": parser_name(),
            "graphs": [{**asdict(extraction), "samples": count} for extraction, count in extractions],
            **more,
            "started": _now(),
            "ended": None,
        }
        start = time.monotonic()
        _write(file, manifest)
        with marking_end(store, run):
            yield manifest
        manifest |= {"ended": _now(), "seconds": round(time.monotonic() - start, 1), "counts": store.status(run.name)}
        manifest |= {"guesses": _blind_baselines(store, plan), "variety": _variety(store, plan)}
        _write(file, manifest)


@contextmanager
def _alone(folder: Path, run: str) -> Iterator[None]:
    private_folder(folder)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ResourceError(f"another process is making run {run!r}; wait for its end, or end it") from None
        yield
    finally:
        os.close(descriptor)


def _blind_baselines(store: Store, plan: Plan) -> dict[str, Any]:
    """Calculate the share of right guesses by row and guesser; empty for a small run except for its size.

    Without scikit-learn, nearest-question guesses are omitted with a warning.
    """
    samples = len(sample_ids(store, plan.scope))
    size = {"samples": samples, "guessed from": GUESSED_FROM}
    if samples < GUESSED_FROM:
        return size
    guessers = (*PARTS, "nearest") if has_extra("guess") else tuple(PARTS)
    rows = guess(_blind_questions(store, plan), guessers=guessers).rows
    shares = {row.row: {name: figure.share for name, figure in row.guessers.items()} for row in rows}
    return size | {"shares": shares}


def _blind_questions(store: Store, plan: Plan) -> Iterator[BlindQuestion]:
    for hop in range(plan.scope.hops + 1):
        every = store.question_samples(run=plan.run.name, hop=hop)
        drawn = nsmallest(MOST_GUESSED, every, key=lambda sample: seed_of("guess", sample, hop))
        samples = {sample.id: sample for sample in store.samples(ids=drawn)}
        questions = store.questions(run=plan.run.name, hop=hop, samples=drawn)
        yield from (blind_question_of(samples[question.sample], question) for question in questions)


def _variety(store: Store, plan: Plan) -> list[dict[str, Any]]:
    raw = len(store.question_samples(run=RAW, hop=0))
    return [asdict(row) for row in hop_varieties(store.questions(run=plan.run.name, status="kept"), raw=raw)]


def _extractions(store: Store, plan: Plan) -> list[tuple[Extraction, int]]:
    extractions = store.extractions(sample_ids(store, plan.scope))
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
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _write(file: Path, manifest: dict[str, Any]) -> None:
    with replacing(file, private=True) as stream:
        json.dump(manifest, stream, ensure_ascii=False, indent=2, default=str)
        stream.write("\n")
