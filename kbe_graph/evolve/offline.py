"""The run without a model: facts from the pack or another source that is known before, wording by rule."""

from contextlib import closing
from dataclasses import fields, replace
from functools import partial

from kbe_graph.checks import Checks, FilterSettings, Scheme, build_checks
from kbe_graph.config import refuse_stranger
from kbe_graph.errors import ConfigError
from kbe_graph.evolve.batches import sample_ids
from kbe_graph.evolve.driver import Driver
from kbe_graph.evolve.explore_workers import explore_workers
from kbe_graph.evolve.knowledge import Knowledge, packaged_knowledge, with_verdicts
from kbe_graph.evolve.manifest import write_manifest
from kbe_graph.evolve.outlook import Outlook
from kbe_graph.evolve.parts import Parts, open_parts
from kbe_graph.evolve.plan import Plan, plan_of
from kbe_graph.evolve.recipe import Expresser, Recipe
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.sources import PACKAGED, ChosenSource, Sourced
from kbe_graph.evolve.workers import get_ready, worth_starting
from kbe_graph.folder import Folder
from kbe_graph.models.shard import Shard
from kbe_graph.store import Store
from kbe_graph.store.stored_parts import work_of_run
from kbe_graph.types import Progress
from kbe_graph.wording.rule import RuleExpresser


def offline_run(
    folder: Folder,
    store: Store,
    scope: RunOptions,
    *,
    source: ChosenSource = PACKAGED,
    shard: Shard | None = None,
    workers: int | None = 1,
    progress: Progress = lambda *_: None,
) -> None:
    """Evolve the workspace's samples without a model, and write the run's manifest.

    ``workers`` processes explore over the packaged facts, None for one a core; few samples are explored by this process
    alone, and so are those of another source. Raises ConfigError, StoreError, SourceError, ResourceError, and
    PartsAwaited where other shards of the run are not done.
    """
    settings = filter_settings(folder)
    plan = replace(with_verdicts(offline_plan(scope, settings, source), folder), shard=shard)
    number = worth_starting(workers, len(sample_ids(store, scope))) if source is PACKAGED else 1
    if number > 1:
        get_ready()
    with open_parts(store, work_of_run(scope.name), shard) as parts, write_manifest(folder, store, plan) as manifest:
        knowledge = gather(folder, store, plan, source, progress=progress, parts=parts)
        if knowledge.notes:
            manifest[source.settings["knowledge"]] = knowledge.notes
        driver = offline_driver(store, plan, settings, knowledge, progress=progress, parts=parts)
        if number == 1:
            driver.evolve()
            return
        with closing(explore_workers(number, partial(worker_driver, folder, store, plan, settings))) as explorers:
            replace(driver, workers=explorers).evolve()


def worker_driver(folder: Folder, store: Store, plan: Plan, settings: FilterSettings) -> Driver:
    """Return what a worker re-selects and explores with."""
    return offline_driver(store, plan, settings, packaged_knowledge(folder), progress=lambda *_: None)


def offline_plan(scope: RunOptions, settings: FilterSettings, source: ChosenSource = PACKAGED) -> Plan:
    """Return the plan of a run that asks no model."""
    return plan_of(scope, settings, {**source.settings, "wording": "rule", "filters": settings})


def gather(
    folder: Folder, store: Store, plan: Plan, source: ChosenSource, *, progress: Progress, parts: Parts | None = None
) -> Knowledge:
    """Return what a run knows; a source that is asked ahead is asked about the answers that re-selection leads to.

    After this the run needs no connection. Raises ConfigError, StoreError and SourceError.
    """
    if source.ahead:
        first = replace(plan, scope=replace(plan.scope, hops=0))
        packaged = packaged_knowledge(folder)
        offline_driver(store, first, filter_settings(folder), packaged, progress=progress, parts=parts).evolve()
    return source.gather(folder, store, plan, progress)


def offline_driver(
    store: Store,
    plan: Plan,
    settings: FilterSettings,
    knowledge: Knowledge,
    *,
    progress: Progress,
    parts: Parts | None = None,
) -> Driver:
    """Return the driver of a run that asks no model."""
    expresser = RuleExpresser(knowledge.pack)
    checks = build_checks(knowledge.pack, settings, Scheme(choice=plan.choice))
    recipe = known_recipe(knowledge, checks, expresser, plan.scope)
    return Driver(store, plan, recipe, concept_of=knowledge.link, progress=progress, parts=parts)


def known_recipe(knowledge: Knowledge, checks: Checks, expresser: Expresser, scope: RunOptions) -> Recipe:
    """Return the recipe of a run whose facts are known, whoever words its questions.

    Where unsourced facts are refused, the checks still know them: what would have two answers has them all the same.
    """
    source, pack = knowledge.source, knowledge.pack
    if not scope.unsourced:
        source = Sourced(source)
        pack = replace(pack, facts=tuple(fact for fact in pack.facts if not fact.unsourced))
    return Recipe(source, checks, expresser, Outlook(checks, pack), family=pack.family)


def filter_settings(folder: Folder) -> FilterSettings:
    """Return the thresholds that ``[filters]`` of the workspace sets; raises ConfigError for a name that is none."""
    section = dict(folder.config.section("filters"))
    place = f"{folder.config.file} [filters]"
    for name in section:
        refuse_stranger(place, name, [threshold.name for threshold in fields(FilterSettings)])
    try:
        return FilterSettings(**section)
    except ConfigError as error:
        raise ConfigError(f"{place}: {error}") from None
