"""The run without a model: facts from the pack, wording by rule."""

from kbe_graph.errors import ConfigError
from kbe_graph.evolve.checks import Checks
from kbe_graph.evolve.driver import Driver, Plan, Progress
from kbe_graph.evolve.exploration import Steps
from kbe_graph.evolve.manifest import write_manifest
from kbe_graph.express import RuleExpresser
from kbe_graph.filters import FilterSettings, build
from kbe_graph.knowledge.pack import PackSource, pack
from kbe_graph.lexicon.english import english_name
from kbe_graph.lexicon.senses import link
from kbe_graph.store import Store
from kbe_graph.types import Question, Run, Sample, SampleGraph
from kbe_graph.workspace import Workspace


def offline_run(
    workspace: Workspace,
    store: Store,
    *,
    name: str,
    seed: int,
    hops: int = 3,
    limit: int | None = None,
    max_length: int = 10,
    timeout: float = 60,
    progress: Progress = lambda *_: None,
) -> None:
    """Evolve the workspace's samples without a model, and write the run's manifest; raises ConfigError and StoreError."""
    settings = filter_settings(workspace)
    chosen = {"limit": limit, "max length": max_length, "knowledge": "pack", "wording": "rule", "filters": settings}
    run = Run(name, seed, tuple((key, str(value)) for key, value in chosen.items()))
    plan = Plan(run, hops, limit, max_length, timeout, settings.share, settings.floor)
    with write_manifest(workspace, store, run, parser=english_name() or "none"):
        offline_driver(store, plan, settings, progress=progress).evolve()


def offline_driver(store: Store, plan: Plan, settings: FilterSettings, *, progress: Progress) -> Driver:
    """Return the driver of a run that asks no model."""
    knowledge = pack()
    expresser, checks = RuleExpresser(knowledge, plan.run.name), Checks(knowledge, settings)
    return Driver(
        store,
        plan,
        Steps(
            PackSource(knowledge),
            build(knowledge, settings),
            expresser,
            checks=(checks.decide,),
            onward=lambda fact: bool(knowledge.facts_about(fact.object_id)),
            faulty=checks.faulty,
        ),
        word=expresser.word_reselected,
        link=linked,
        progress=progress,
    )


def filter_settings(workspace: Workspace) -> FilterSettings:
    """Return the thresholds that ``[filters]`` of the workspace sets; raises ConfigError for a name that is none."""
    section = dict(workspace.config.section("filters"))
    try:
        return FilterSettings(**section)
    except TypeError as error:
        raise ConfigError(f"{workspace.config.file} [filters]: {error}") from None


def linked(sample: Sample, graph: SampleGraph, question: Question) -> str:
    """Return the concept of the question's answer, or the empty string where none is sure enough."""
    objects = tuple(dict.fromkeys(triplet.object.name.lower() for triplet in graph.visual if triplet.object.noun))
    return link(question.text or sample.question, question.answer, objects).concept
