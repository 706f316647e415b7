"""Runs of a workspace: by rules, or with a model that proposes facts, words questions, or both."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from kbe_graph.checks.check import read_filters
from kbe_graph.errors import InputError
from kbe_graph.evolve.course import evolve
from kbe_graph.evolve.evolution import evolution_of, worker_evolution
from kbe_graph.evolve.knowledge import SOURCES, Knowledge, packaged_knowledge, verdicts_hash
from kbe_graph.evolve.manifest import write_manifest
from kbe_graph.evolve.plan import Plan, plan_run, sample_ids
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.shapes.line import ShapeLine
from kbe_graph.facts.grounding import Grounding
from kbe_graph.facts.pack import kept_verdicts
from kbe_graph.folder import Folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import loop
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.model_options import MODEL, ModelOptions, model_options
from kbe_graph.steps.session import ModelSession, open_session
from kbe_graph.store import Store
from kbe_graph.types import Progress
from kbe_graph.workers import Workers, worth_starting


def evolve_run(
    work: GraphAccess, options: RunOptions, model: ModelOptions | str | None, *, workers: int | None
) -> tuple[Path, ...]:
    """Evolve, or go on; return the files of calls whose replies the run waits for.

    ``workers`` is how many processes explore, None for one per core. Raises as ``Workspace.evolve``.
    """
    work.store.require_questions()
    asks = model is not None or "model" in (options.knowledge, options.wording)
    if options.ray and (asks or options.knowledge not in {None, "pack"}):
        raise InputError("a cluster works only for runs by rules and packaged facts; leave out `ray`")
    with work.reporter as reporter:
        if not asks:
            run_by_rules(work.folder, work.store, options, workers=workers, progress=reporter)
            return ()
        if model is None:
            options = replace(options, knowledge=options.knowledge or "pack", wording=options.wording or "rule")
        with open_run(work, options, model or MODEL) as (session, plan):
            knowledge = gather(work.folder, work.store, plan, reporter)
            asking = partial(evolve_asking, work.folder, work.store, plan, knowledge, progress=reporter)
            return session.do(asking, *plan.steps)


@contextmanager
def open_run(work: GraphAccess, options: RunOptions, model: ModelOptions | str) -> Iterator[tuple[ModelSession, Plan]]:
    """Give the session and the plan of a run with a model. Raises ConfigError, InputError and ResourceError."""
    with open_session(model, work) as session:
        yield (
            session,
            plan_run(
                options,
                read_filters(work.folder.config),
                model_options(model),
                book=session.book,
                prompts=session.prompts,
                verdicts=verdicts_hash(work.folder),
            ),
        )


def plan_by_rules(folder: Folder, options: RunOptions) -> Plan:
    """Plan a run by rules, with the settings of the workspace. Raises ConfigError and InputError."""
    source = SOURCES.require(options.knowledge or "pack").settings(folder, options)
    return plan_run(options, read_filters(folder.config), source=source, verdicts=verdicts_hash(folder))


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
    plan = plan_by_rules(folder, options)
    number = worth_starting(workers, len(sample_ids(store, options))) if plan.options.knowledge == "pack" else 1
    with write_manifest(folder, store, plan) as manifest:
        knowledge = gather(folder, store, plan, progress)
        if knowledge.notes:
            manifest[str(plan.options.knowledge)] = knowledge.notes
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
