"""Run without a model: facts from the pack or another source known in advance, rule-based wording."""

import warnings
from collections.abc import Iterable
from contextlib import closing
from dataclasses import fields, replace
from functools import partial

from kbe_graph.checks import Checks, FilterSettings, Scheme, build_checks
from kbe_graph.config import nearest_name, refuse_stranger
from kbe_graph.english.parse import load_spacy_model
from kbe_graph.errors import ConfigError, KbeWarning
from kbe_graph.evolve.driver import evolve
from kbe_graph.evolve.knowledge import (
    PACKAGED,
    ChosenSource,
    Knowledge,
    Sourced,
    Verdicts,
    packaged_knowledge,
    reviewed_knowledge,
    with_verdicts,
)
from kbe_graph.evolve.manifest import write_manifest
from kbe_graph.evolve.plan import Plan, plan_of, sample_ids
from kbe_graph.evolve.recipe import Evolution, Expresser, Outlook, Recipe
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.execute.executor import Workers, get_ready, worth_starting
from kbe_graph.facts.review import kept_verdicts
from kbe_graph.folder import Folder
from kbe_graph.models import loop
from kbe_graph.store import Store
from kbe_graph.text import fold
from kbe_graph.types import Progress
from kbe_graph.wording.rule import RuleExpresser


def offline_run(
    folder: Folder,
    store: Store,
    scope: RunOptions,
    *,
    source: ChosenSource = PACKAGED,
    workers: int | None = 1,
    ray: str | None = None,
    progress: Progress = lambda *_: None,
) -> None:
    """Evolve the workspace's samples without a model, and write the run's manifest.

    ``workers`` is the number of processes that explore the bundled facts, None for one per core; with few samples or
    another source, only this process works. ``ray`` is the address of a cluster that explores instead. Raises
    ConfigError, StoreError, SourceError and ResourceError.
    """
    settings = filter_settings(folder)
    plan = with_verdicts(offline_plan(scope, settings, source), folder)
    number = worth_starting(workers, len(sample_ids(store, scope))) if source is PACKAGED else 1
    if number > 1 and not ray:
        get_ready()
    with write_manifest(folder, store, plan) as manifest:
        knowledge = gather(folder, store, plan, source, progress=progress)
        if knowledge.notes:
            manifest[source.settings["knowledge"]] = knowledge.notes
        evolution = replace(offline_evolution(store, plan, settings, knowledge), progress=progress)
        if number == 1 and not ray:
            loop.run(evolve(evolution))
            return
        make = partial(worker_evolution, store, plan, settings, kept_verdicts(folder.review))
        with closing(Workers(number, make, ray=ray)) as pool:
            loop.run(evolve(replace(evolution, workers=pool)))


def worker_evolution(store: Store, plan: Plan, settings: FilterSettings, verdicts: Verdicts) -> Evolution:
    """Build the evolution of a worker process, with all its resources loaded."""
    load_spacy_model()
    return offline_evolution(store, plan, settings, reviewed_knowledge(verdicts))


def offline_plan(scope: RunOptions, settings: FilterSettings, source: ChosenSource = PACKAGED) -> Plan:
    """Build the plan of a run without a model."""
    return plan_of(scope, settings, {**source.settings, "wording": "rule", "filters": settings})


def gather(
    folder: Folder,
    store: Store,
    plan: Plan,
    source: ChosenSource,
    *,
    progress: Progress = lambda *_: None,
) -> Knowledge:
    """Build the knowledge of a run; re-selection comes first if the source is queried in advance.

    After this the run needs no network connection. Raises ConfigError, StoreError and SourceError.
    """
    if source.ahead:
        first = replace(plan, scope=replace(plan.scope, hops=0))
        evolution = offline_evolution(store, first, filter_settings(folder), packaged_knowledge(folder))
        loop.run(evolve(replace(evolution, progress=progress)))
    return source.gather(folder, store, plan, progress)


def offline_evolution(store: Store, plan: Plan, settings: FilterSettings, knowledge: Knowledge) -> Evolution:
    """Build the evolution of a run without a model."""
    expresser = RuleExpresser(knowledge.pack)
    checks = build_checks(knowledge.pack, settings, Scheme(choice=plan.choice))
    return Evolution(store, plan, known_recipe(knowledge, checks, expresser, plan.scope))


def known_recipe(knowledge: Knowledge, checks: Checks, expresser: Expresser, scope: RunOptions) -> Recipe:
    """Build the recipe of a run whose facts are known, whoever words its questions.

    If unsourced facts are excluded, the checks still know them, because a question with two answers has them
    regardless.
    """
    source, pack = knowledge.source, knowledge.pack
    if not scope.unsourced:
        source = Sourced(source)
        pack = replace(pack, facts=tuple(fact for fact in pack.facts if not fact.unsourced))
    onward = Outlook(checks, pack)
    return Recipe(source, checks, expresser, onward, family=pack.family, concept_of=knowledge.link)


def filter_settings(folder: Folder) -> FilterSettings:
    """Read the thresholds in ``[filters]`` of the workspace; raises ConfigError for an unknown name."""
    section = dict(folder.config.section("filters"))
    place = f"{folder.config.file} [filters]"
    for name in section:
        refuse_stranger(place, name, [threshold.name for threshold in fields(FilterSettings)])
    try:
        return FilterSettings(**section)
    except ConfigError as error:
        raise ConfigError(f"{place}: {error}") from None


def warn_of_strange_relations(folder: Folder, relations: Iterable[str]) -> None:
    """Warn (KbeWarning) of each blocked relation that none of the run's facts has, so that it blocks nothing."""
    names = {fold(name): name for name in relations}
    for name in filter_settings(folder).blocked_relations:
        if fold(name) not in names:
            message = f"{folder.config.file} [filters] blocked_relations: no packaged fact has the relation {name!r}"
            hint = nearest_name(name, names.values()).strip() or "copy the name from the key path of a question"
            warnings.warn(f"{message}; {hint}", KbeWarning, stacklevel=4)
