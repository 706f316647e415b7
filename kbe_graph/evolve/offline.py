"""The run without a model: facts from the pack or from Wikidata, wording by rule."""

from dataclasses import replace

from kbe_graph.errors import ConfigError
from kbe_graph.evolve.checks import Checks
from kbe_graph.evolve.driver import Driver, Progress
from kbe_graph.evolve.exploration import Steps
from kbe_graph.evolve.knowledge import Knowledge, packaged, reviewed, wikidata_knowledge
from kbe_graph.evolve.manifest import write_manifest
from kbe_graph.evolve.plan import Plan, Scope, plan_of
from kbe_graph.express import RuleExpresser
from kbe_graph.filters import FilterSettings, build
from kbe_graph.knowledge.walk import Walk
from kbe_graph.knowledge.wikidata.settings import WikidataSettings
from kbe_graph.lexicon.english import english_name
from kbe_graph.store import Store
from kbe_graph.types import Expresser
from kbe_graph.workspace import Workspace


def offline_run(
    workspace: Workspace,
    store: Store,
    scope: Scope,
    *,
    wikidata: WikidataSettings | None = None,
    progress: Progress = lambda *_: None,
) -> None:
    """Evolve the workspace's samples without a model, and write the run's manifest.

    With ``wikidata``, re-selection comes first, then all facts that the run may need are fetched, then it goes on by them alone.
    Raises ConfigError, StoreError and SourceError.
    """
    settings = filter_settings(workspace)
    plan = reviewed(offline_plan(scope, settings, wikidata), workspace)
    with write_manifest(workspace, store, plan.run, parser=english_name() or "none") as manifest:
        knowledge = packaged(workspace)
        if wikidata:
            knowledge = fetch_ahead(workspace, store, plan, wikidata, progress=progress)
            manifest["wikidata"] = knowledge.notes
        offline_driver(store, plan, settings, knowledge, progress=progress).evolve()


def offline_plan(scope: Scope, settings: FilterSettings, wikidata: WikidataSettings | None = None) -> Plan:
    """Return the plan of a run that asks no model."""
    source = {"knowledge": "wikidata", "endpoint": wikidata.endpoint} if wikidata else {"knowledge": "pack"}
    return plan_of(scope, settings, {**source, "wording": "rule", "filters": settings})


def fetch_ahead(
    workspace: Workspace, store: Store, plan: Plan, wikidata: WikidataSettings, *, progress: Progress
) -> Knowledge:
    """Re-select, and return what Wikidata says of all answers that the run may come to, fetched where it was not kept.

    After this the run needs no connection. Raises ConfigError, StoreError and SourceError.
    """
    first = replace(plan, scope=replace(plan.scope, hops=0))
    offline_driver(store, first, filter_settings(workspace), packaged(workspace), progress=progress).evolve()
    return wikidata_knowledge(workspace, store, plan, wikidata, progress=progress)


def offline_driver(
    store: Store, plan: Plan, settings: FilterSettings, knowledge: Knowledge, *, progress: Progress
) -> Driver:
    """Return the driver of a run that asks no model."""
    expresser = RuleExpresser(knowledge.pack, plan.run.name)
    steps = known_steps(knowledge, settings, expresser)
    return Driver(store, plan, steps, word=expresser.word_reselected, link=knowledge.link, progress=progress)


def known_steps(knowledge: Knowledge, settings: FilterSettings, expresser: Expresser) -> Steps:
    """Return the steps of a run whose facts are known, whoever words its questions."""
    checks, walk = Checks(knowledge.pack, settings), Walk(knowledge.pack)
    return Steps(
        knowledge.source,
        build(knowledge.pack, settings),
        expresser,
        checks=(checks.decide,),
        onward=lambda fact: walk.onward(fact.object_id, without=fact.subject_id),
        faulty=checks.faulty,
    )


def filter_settings(workspace: Workspace) -> FilterSettings:
    """Return the thresholds that ``[filters]`` of the workspace sets; raises ConfigError for a name that is none."""
    section = dict(workspace.config.section("filters"))
    try:
        return FilterSettings(**section)
    except TypeError as error:
        raise ConfigError(f"{workspace.config.file} [filters]: {error}") from None
