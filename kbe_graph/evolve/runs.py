"""Runs of a workspace, by rules or with a model, and their manifests.

``.kbe/runs/<name>/run.json`` holds a run's settings, versions and counts.
"""

import fcntl
import os
import platform
import time
import warnings
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from kbe_graph.checks.check import read_filters
from kbe_graph.english.parse import parser_name
from kbe_graph.errors import BudgetReached, InputError, KbeError, KbeWarning, ReplyAwaited, ResourceError
from kbe_graph.evolve.course import evolve
from kbe_graph.evolve.evolution import evolution_of, worker_evolution
from kbe_graph.evolve.knowledge import SOURCES, Knowledge, packaged_knowledge, verdicts_hash
from kbe_graph.evolve.plan import Plan, claim, plan_run, sample_ids
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.shapes.line import ShapeLine
from kbe_graph.facts.grounding import Grounding
from kbe_graph.facts.pack import kept_verdicts
from kbe_graph.folder import Folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import Budget, loop
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.model_options import MODEL, ModelOptions, model_options
from kbe_graph.steps.session import ModelSession, open_session
from kbe_graph.store import Store
from kbe_graph.types import Extraction, Progress
from kbe_graph.workers import Workers, worth_starting

PACKAGES = ("kbe-graph", "arcadedb-embedded", "neo4j", "spacy", "lemminflect", "openai")


def evolve_run(
    work: GraphAccess,
    options: RunOptions,
    model: ModelOptions | str | None,
    *,
    workers: int | None,
    only: Collection[str] = (),
    budget: Budget | None = None,
) -> tuple[Path, ...]:
    """Evolve, or go on; return the files of calls whose replies the run waits for.

    ``workers`` is how many processes explore, None for one per core. ``only`` restricts drafts of a model to samples
    (ids), and ``budget`` is that of the whole command, if this is a part of it. Raises as ``Workspace.evolve``.
    """
    work.store.require_questions()
    options = options.settled(by_model=model is not None)
    asks = model is not None or options.asks
    if options.ray and (asks or options.knowledge != "pack"):
        raise InputError("a cluster works only for runs by rules and packaged facts; leave out `ray`")
    with work.reporter as reporter:
        if not asks:
            run_by_rules(work.folder, work.store, options, workers=workers, progress=reporter)
            return ()
        with open_run(work, options, model or MODEL, budget) as (session, plan):
            knowledge = gather(work.folder, work.store, plan, reporter)
            chosen = replace(plan, only=frozenset(only))
            asking = partial(evolve_asking, work.folder, work.store, chosen, knowledge, progress=reporter)
            return session.do(asking, *plan.steps)


@contextmanager
def open_run(
    work: GraphAccess, options: RunOptions, model: ModelOptions | str, budget: Budget | None = None
) -> Iterator[tuple[ModelSession, Plan]]:
    """Give the session and the plan of a run with a model. Raises ConfigError, InputError and ResourceError."""
    with open_session(model, work, budget) as session:
        filters, verdicts = read_filters(work.folder.config), verdicts_hash(work.folder)
        making: dict[str, Any] = {"book": session.book, "prompts": session.prompts, "verdicts": verdicts}
        yield session, plan_run(options, filters, model_options(model), **making)


def run_by_rules(
    folder: Folder,
    store: Store,
    options: RunOptions,
    *,
    workers: int | None = 1,
    progress: Progress = lambda *_: None,
) -> None:
    """Evolve the workspace's samples without a model, and write the run's manifest.

    ``workers`` is the number of processes that explore the bundled facts, None for one per core; with few samples or
    another source, only this process works. Raises ConfigError, StoreError, SourceError and ResourceError.
    """
    name = str(options.settled(by_model=False).knowledge)
    source = SOURCES.require(name).settings(folder, options)
    plan = plan_run(options, read_filters(folder.config), source=source, verdicts=verdicts_hash(folder))
    number = worth_starting(workers, len(sample_ids(store, options))) if name == "pack" else 1
    with write_manifest(folder, store, plan) as manifest:
        knowledge = gather(folder, store, plan, progress)
        if knowledge.notes:
            manifest[name] = knowledge.notes
        evolution = evolution_of(store, plan, knowledge, progress=progress)
        if number == 1 and not options.ray:
            loop.run(evolve(evolution))
            return
        make = partial(worker_evolution, store.connection.place, plan, kept_verdicts(folder.review))
        with closing(Workers(number, make, ray=options.ray)) as pool:
            loop.run(evolve(replace(evolution, workers=pool)))


async def evolve_asking(
    folder: Folder, store: Store, plan: Plan, knowledge: Knowledge, asker: Asker, progress: Progress = lambda *_: None
) -> None:
    """Evolve with a model, and write the run's manifest; repeating the call resumes the run.

    Raises ConfigError, StoreError and the errors of ``Model.ask``.
    """
    with write_manifest(folder, store, plan, families=plan.families):
        if plan.by_shapes:
            grounding, crops = Grounding(knowledge.pack), folder.hidden / "crops"
            await ShapeLine(store, plan, asker, knowledge.pack, grounding, crops, progress).evolve()
        else:
            await evolve(evolution_of(store, plan, knowledge, asker, progress=progress))


def gather(folder: Folder, store: Store, plan: Plan, progress: Progress = lambda *_: None) -> Knowledge:
    """Build the knowledge of a run; re-selection comes first if the source is queried in advance.

    After this the run needs no network connection. Raises ConfigError, StoreError and SourceError.
    """
    source = SOURCES.require(str(plan.options.knowledge))
    if source.ahead:
        first = replace(plan, options=replace(plan.options, hops=0))
        knowledge = packaged_knowledge(kept_verdicts(folder.review))
        loop.run(evolve(evolution_of(store, first, knowledge, progress=progress)))
    return source.gather(folder, store, plan, progress)


@contextmanager
def write_manifest(folder: Folder, store: Store, plan: Plan, **more: Any) -> Iterator[dict[str, Any]]:
    """Write the manifest at the start, yield it for additions, and complete it at the end.

    ``ended`` is null in the manifest of an interrupted run. Warns (KbeWarning) if the run's graphs were extracted with
    different parsers. Raises InputError if the manifest cannot be written, ConfigError if the run was made with other
    settings, and ResourceError if another process makes it. The graph records whether the run was completed; a waiting
    or killed run stays marked as running. The manifest of a complete run that gains nothing stays as it was.
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
        before, counts = folder.read_manifest(run.name), store.status_counts(run.name)
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
        is_same = bool(before.get("ended")) and store.status_counts(run.name) == counts
        folder.write_manifest(run.name, before if is_same else manifest)


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
