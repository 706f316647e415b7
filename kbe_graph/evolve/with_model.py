"""The run with a model: facts and wording from a model, a pack or rules, behind the same filters and the same graph."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kbe_graph.evolve.checks import Checks
from kbe_graph.evolve.driver import Driver, Progress
from kbe_graph.evolve.exploration import Steps
from kbe_graph.evolve.grounding import Grounded, Grounding, GroundingFilter, is_grounded
from kbe_graph.evolve.knowledge import Knowledge
from kbe_graph.evolve.manifest import write_manifest
from kbe_graph.evolve.mix import Mix, Role, families_of, kinship
from kbe_graph.evolve.offline import known_steps
from kbe_graph.evolve.plan import Plan, Scope, plan_of
from kbe_graph.evolve.verifying import Said, Verifier
from kbe_graph.express import RuleExpresser
from kbe_graph.filters import FilterSettings, build
from kbe_graph.lexicon.senses import link
from kbe_graph.steps.asking import Asker
from kbe_graph.steps.exploration import ModelOpinion, ModelSource, by_name
from kbe_graph.steps.expresser import ModelExpresser, WithSource, drafted
from kbe_graph.store import Store
from kbe_graph.types import Expresser, Question, Sample, SampleGraph
from kbe_graph.workspace import Workspace

BATCH = 1000
LAST_HOP = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelRun:
    """A run that asks a model: what is planned, by whom each part is done, what its filters let pass, and what is known.

    ``models`` are those that are asked, for the manifest.
    """

    workspace: Workspace
    store: Store
    plan: Plan
    mix: Mix
    settings: FilterSettings
    knowledge: Knowledge
    models: Sequence[Role] = ()
    progress: Progress = lambda *_: None

    async def evolve(self, asker: Asker) -> None:
        """Evolve the workspace's samples, and write the run's manifest, which tells the families of the models.

        Raises ConfigError, StoreError and what ``Model.ask`` raises; the same call again goes on where it stopped.
        """
        with write_manifest(self.workspace, self.store, self.plan.run, families=families_of(self.models)):
            await self._driver(asker).run()

    def _driver(self, asker: Asker) -> Driver:
        name, by_rule = self.plan.run.name, self.mix.wording == "rule"
        rule = RuleExpresser(self.knowledge.pack, name)
        expresser: Expresser = WithSource(rule) if by_rule else ModelExpresser(asker, name)
        proposed = self.mix.knowledge == "model"
        steps = self._proposed(asker, expresser) if proposed else known_steps(self.knowledge, self.settings, expresser)
        return Driver(
            self.store,
            self.plan,
            replace(steps, worded=lambda one: by_rule or drafted(one) is not None),
            word=rule.word_reselected,
            link=self._link,
            progress=self.progress,
        )

    def _proposed(self, asker: Asker, expresser: Expresser) -> Steps:
        """Return the steps of a run whose facts a model proposes."""
        mix, pack, root = self.mix, self.knowledge.pack, Roots(self.store, self.plan.run.name)
        proposals = ModelSource(asker, mix.mode, self.plan.scope.hops, concept=_concept, root=root)
        return Steps(
            Grounded(proposals, Grounding(pack), rename=mix.wording == "rule"),
            (*build(pack, self.settings, relations_known=False), GroundingFilter(mix.ground)),
            expresser,
            checks=(Checks(pack, self.settings).needed,),
            opinion=None if mix.mode == "chain" else ModelOpinion(asker),
            verify=Verifier(asker, self._verdicts) if mix.verify else None,
            onward=is_grounded if mix.ground == "prefer" else lambda _: False,
        )

    def _verdicts(self, hop: int) -> dict[Said, bool]:
        """Return what is known of verdicts from before a hop: those of other runs, and of the run's own earlier hops."""
        run = self.plan.run.name
        others = [one.name for one in self.store.runs() if one.name != run]
        return self.store.verdicts(others, hop=LAST_HOP) | self.store.verdicts([run], hop=hop - 1)

    def _link(self, sample: Sample, graph: SampleGraph, question: Question) -> str:
        """Link an answer; a model's facts need no concept, so an answer without one goes by its name."""
        found = self.knowledge.link(sample, graph, question)
        return found or (by_name(question.answer) if self.mix.knowledge == "model" else "")


def model_plan(scope: Scope, mix: Mix, settings: FilterSettings, models: Sequence[Role] = ()) -> Plan:
    """Return the plan of a run with a model; the models it asks and how they are related are part of its settings."""
    asked = {role.name: f"{role.model.model} ({role.model.family})" for role in models}
    related = {"families": kinship(models) or "independent"} if models else {}
    return plan_of(scope, settings, {**mix.settings, "filters": settings, **asked, **related}, batch=BATCH)


def _concept(question: str, name: str) -> str:
    """Return the WordNet noun that an object means, else an id by its name."""
    return link(question, name).concept or by_name(name)


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
