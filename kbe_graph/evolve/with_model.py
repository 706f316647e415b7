"""The run with a model: facts and wording from a model, a pack or rules, behind the same filters and the same graph."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from kbe_graph.evolve.checks import Check, Checks, PackSolver, hop_needed
from kbe_graph.evolve.driver import Driver, Progress
from kbe_graph.evolve.exploration import Opinion, Steps
from kbe_graph.evolve.grounding import Grounded, Grounding, GroundingFilter, is_grounded
from kbe_graph.evolve.knowledge import Knowledge
from kbe_graph.evolve.manifest import write_manifest
from kbe_graph.evolve.mix import Mix, Role, kinship
from kbe_graph.evolve.plan import Plan, Scope, plan_of
from kbe_graph.evolve.verifying import Said, Verifier
from kbe_graph.express import RuleExpresser
from kbe_graph.filters import FilterSettings, build
from kbe_graph.knowledge.walk import Walk
from kbe_graph.lexicon.senses import link
from kbe_graph.steps.asking import Asker
from kbe_graph.steps.exploration import ModelOpinion, ModelSource, by_name
from kbe_graph.steps.expresser import ModelExpresser, WithSource, drafted
from kbe_graph.store import Store
from kbe_graph.types import Expresser, Filter, KnowledgeSource, Question, Sample, SampleGraph
from kbe_graph.workspace import Workspace

BATCH = 1000
LAST_HOP = 1_000_000


async def model_run(
    workspace: Workspace,
    store: Store,
    plan: Plan,
    mix: Mix,
    asker: Asker,
    knowledge: Knowledge,
    settings: FilterSettings,
    *,
    models: Sequence[Role] = (),
    progress: Progress = lambda *_: None,
) -> None:
    """Evolve the workspace's samples with a model, and write the run's manifest, which tells the families of the models.

    Raises ConfigError, StoreError and what ``Model.ask`` raises; the same call again goes on where it stopped.
    """
    with write_manifest(workspace, store, plan.run, families=families(models)):
        await model_driver(store, plan, settings, mix, asker, knowledge, progress=progress).run()


def model_plan(scope: Scope, mix: Mix, settings: FilterSettings, models: Sequence[Role] = ()) -> Plan:
    """Return the plan of a run with a model; the models it asks and how they are related are part of its settings."""
    asked = {role.name: f"{role.model.model} ({role.model.family})" for role in models}
    related = {"families": kinship(list(models)) or "independent"} if models else {}
    return plan_of(scope, settings, {**mix.settings, "filters": settings, **asked, **related}, batch=BATCH)


def steps_of(mix: Mix) -> tuple[str, ...]:
    """Return the steps that a run asks."""
    knowledge = {"paper": ("knowledge", "representative"), "merged": ("hop",), "chain": ("chain",)}[mix.mode]
    asked = (*(knowledge if mix.knowledge == "model" else ()), *(("express",) if mix.wording == "model" else ()))
    return (*asked, "verify") if mix.verify else asked


def families(models: Sequence[Role]) -> dict[str, str]:
    """Return the family of the model in each role, and what they share."""
    return {role.name: role.family for role in models} | {"shared": kinship(list(models)) or "none"}


def model_driver(
    store: Store,
    plan: Plan,
    settings: FilterSettings,
    mix: Mix,
    asker: Asker,
    knowledge: Knowledge,
    *,
    progress: Progress = lambda *_: None,
) -> Driver:
    """Return the driver of a run that asks a model."""
    rule = RuleExpresser(knowledge.pack, plan.run.name)
    expresser: Expresser = WithSource(rule) if mix.wording == "rule" else ModelExpresser(asker, plan.run.name)
    by_rule = mix.wording == "rule"
    if mix.knowledge == "model":
        steps = _proposing(store, plan, settings, mix, asker, knowledge, expresser)
    else:
        checks = Checks(knowledge.pack, settings)
        steps = Steps(
            knowledge.source,
            build(knowledge.pack, settings),
            expresser,
            checks=(checks.decide,),
            onward=lambda fact: bool(knowledge.pack.facts_about(fact.object_id)),
            faulty=checks.faulty,
        )
    return Driver(
        store,
        plan,
        replace(steps, worded=lambda one: by_rule or drafted(one) is not None),
        word=rule.word_reselected,
        link=_linking(knowledge, mix),
        progress=progress,
    )


def _proposing(
    store: Store,
    plan: Plan,
    settings: FilterSettings,
    mix: Mix,
    asker: Asker,
    knowledge: Knowledge,
    expresser: Expresser,
) -> Steps:
    """Return the steps of a run whose facts a model proposes."""
    proposals = ModelSource(asker, mix.mode, plan.scope.hops, concept=_concept, root=Roots(store, plan.run.name))
    source: KnowledgeSource = Grounded(proposals, Grounding(knowledge.pack), rename=mix.wording == "rule")
    filters: tuple[Filter, ...] = build(knowledge.pack, settings, relations_known=False)
    solver = PackSolver(Walk(knowledge.pack), settings)
    needed: Check = lambda _, question: hop_needed(question, solver)  # noqa: E731
    verify: Opinion | None = Verifier(asker, _known(store, plan.run.name)) if mix.verify else None
    return Steps(
        source,
        (*filters, GroundingFilter(mix.ground)),
        expresser,
        checks=(needed,),
        opinion=None if mix.mode == "chain" else ModelOpinion(asker),
        verify=verify,
        onward=is_grounded if mix.ground == "prefer" else lambda _: False,
    )


def _known(store: Store, run: str) -> Callable[[int], dict[Said, bool]]:
    """Return what is known of verdicts from before a hop: those of other runs, and of the run's own earlier hops."""

    def known(hop: int) -> dict[Said, bool]:
        others = [one.name for one in store.runs() if one.name != run]
        return store.verdicts(others, hop=LAST_HOP) | store.verdicts([run], hop=hop - 1)

    return known


def _concept(question: str, name: str) -> str:
    """Return the WordNet noun that an object means, else an id by its name."""
    return link(question, name).concept or by_name(name)


def _linking(knowledge: Knowledge, mix: Mix) -> Callable[[Sample, SampleGraph, Question], str]:
    """Return how answers are linked: a model's facts need no concept, so an answer without one goes by its name."""
    if mix.knowledge != "model":
        return knowledge.link
    return lambda sample, graph, question: knowledge.link(sample, graph, question) or by_name(question.answer)


class Roots:
    """The question that a sample's chain starts at: the re-selected one of the run, else the benchmark's own."""

    def __init__(self, store: Store, run: str) -> None:
        self._store, self._run = store, run
        self._reselected: dict[str, Question] | None = None

    def __call__(self, sample: Sample, question: Question) -> Question:
        """Return the root of a question of a later hop, with the part of its key that the root had."""
        if self._reselected is None:
            self._reselected = {one.sample: one for one in self._store.questions(run=self._run, hop=0)}
        key = question.key[: len(question.key) - question.hop]
        root = self._reselected.get(sample.id)
        if root is not None:
            return replace(root, key=key)
        return replace(question, hop=0, kind="raw", text=sample.question, answer=sample.answer, key=key)
