"""Run with a model: facts and wording from a model, a pack or rules, with the same checks and graph."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kbe_graph.checks import FilterSettings, Scheme, build_checks
from kbe_graph.checks.needed import ImageNotNeeded
from kbe_graph.checks.reasons import NOT_REPRESENTATIVE
from kbe_graph.evolve.blind_test import BlindTest
from kbe_graph.evolve.driver import evolve
from kbe_graph.evolve.knowledge import Knowledge
from kbe_graph.evolve.manifest import write_manifest
from kbe_graph.evolve.mix import Mix, Role, families_of, roles_in_one_family
from kbe_graph.evolve.offline import known_recipe
from kbe_graph.evolve.plan import Plan, plan_of
from kbe_graph.evolve.recipe import Evolution, Expresser, Recipe
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.facts.grounding import Grounded, Grounding, is_grounded
from kbe_graph.folder import Folder
from kbe_graph.review.consequences import newest_versions
from kbe_graph.senses.sense import link
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.expresser import ModelExpresser, ModelReselector
from kbe_graph.steps.model_source import ModelOpinion, ModelSource, name_id
from kbe_graph.steps.prompt import PACKAGED, PromptBook, prompt_hash
from kbe_graph.steps.tasks import ModelAlternatives, ModelGuesser
from kbe_graph.steps.verifier import FactKey, ModelInspector, Verifier
from kbe_graph.store import Store
from kbe_graph.types import Progress, Question, Sample, SampleGraph
from kbe_graph.wording.rule import RuleExpresser

BATCH = 1000
LAST_HOP = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelRun:
    """Run that calls a model: its plan, division of work, check settings and knowledge.

    ``models`` are the models called, for the manifest. The calls are made, and their replies handled, in this process.
    """

    folder: Folder
    store: Store
    plan: Plan
    mix: Mix
    settings: FilterSettings
    knowledge: Knowledge
    models: Sequence[Role] = ()
    progress: Progress = lambda *_: None

    async def evolve(self, asker: Asker) -> None:
        """Evolve the workspace's samples, and write the run's manifest, including the model families.

        Raises ConfigError, StoreError and the errors of ``Model.ask``; repeating the call resumes the run.
        """
        with write_manifest(self.folder, self.store, self.plan, families=families_of(self.models)):
            await evolve(self.evolution(asker))

    def evolution(self, asker: Asker) -> Evolution:
        """Build the evolution that generates the run's questions through ``asker``."""
        mix, pack, rule = self.mix, self.knowledge.pack, RuleExpresser(self.knowledge.pack)
        expresser: Expresser = rule if mix.wording == "rule" else ModelExpresser(asker)
        proposed = mix.knowledge == "model"
        scheme = Scheme(
            facts_known=not proposed,
            by_rule=expresser is rule,
            demand=mix.ground if proposed else "report",
            language=mix.language,
            choice=self.plan.choice,
        )
        checks = build_checks(pack, self.settings, scheme)
        recipe = known_recipe(self.knowledge, checks, expresser, self.plan.scope)
        if mix.wording == "model":
            recipe = replace(recipe, reselector=ModelReselector(asker, self.plan.choice.asks))
        if mix.verify:
            recipe = replace(recipe, inspector=ModelInspector(asker))
        if mix.guessing:
            by_others = self.plan.choice.asks(ImageNotNeeded.name)
            test = BlindTest(
                ModelGuesser(asker, self.settings.guess_tries),
                ModelAlternatives(asker) if by_others else None,
                skips=mix.blind == "skip",
            )
            recipe = replace(recipe, blind_test=test)
        recipe = replace(recipe, concept_of=self._concept_of)
        recipe = self._proposed(asker, recipe) if proposed else recipe
        return Evolution(self.store, self.plan, recipe, progress=self.progress)

    def _proposed(self, asker: Asker, recipe: Recipe) -> Recipe:
        mix, lineage = self.mix, Lineage(self.store, self.plan.run.name)
        proposals = ModelSource(asker, mix.mode, concept=_concept, lineage=lineage)
        return replace(
            recipe,
            knowledge=Grounded(proposals, Grounding(self.knowledge.pack), rename=mix.wording == "rule"),
            onward=lambda candidate, _: int(mix.ground == "prefer" and is_grounded(candidate.fact)),
            opinion=ModelOpinion(asker) if self.plan.choice.asks(NOT_REPRESENTATIVE) else None,
            second_opinion=Verifier(asker, self._verdicts) if mix.verify else None,
            best_first=True,
            parses=mix.wording == "rule",
        )

    def _verdicts(self, hop: int) -> dict[FactKey, bool]:
        run = self.plan.run.name
        others = [other.name for other in self.store.runs() if other.name != run]
        return self.store.verdicts(others, hop=LAST_HOP) | self.store.verdicts([run], hop=hop - 1)

    def _concept_of(self, sample: Sample, graph: SampleGraph, question: Question) -> str:
        concept = self.knowledge.link(sample, graph, question)
        return concept or (name_id(question.answer) if self.mix.knowledge == "model" else "")


def model_plan(
    scope: RunOptions,
    mix: Mix,
    settings: FilterSettings,
    models: Sequence[Role] = (),
    prompts: PromptBook = PACKAGED,
) -> Plan:
    """Build the plan of a run with a model.

    Its settings include the models, their family relations, and the prompt hashes.
    """
    asked = {role.name: f"{role.model.model} ({role.model.family})" for role in models}
    related = {"families": roles_in_one_family(models) or "independent"} if models else {}
    asked["prompts"] = ", ".join(prompt_hash(step, prompts) for step in mix.steps)
    chosen = {**mix.settings, "filters": settings, **asked, **related}
    return plan_of(scope, settings, chosen, facts_known=mix.knowledge != "model", batch=BATCH, asks=mix.asks)


def _concept(question: str, name: str) -> str:
    return link(question, name).concept or name_id(name)


class Lineage:
    """Ancestors of a run's questions, hop by hop."""

    def __init__(self, store: Store, run: str) -> None:
        self._store, self._run = store, run
        self._questions: list[dict[str, Question]] = []  # per hop, by sample

    def __call__(self, sample: Sample, question: Question) -> Iterator[Question]:
        """Yield the questions of a chain from its start to this one, reading each hop on demand.

        The first is the run's re-selected question, or the benchmark's own with its part of the key.
        """
        if question.hop:
            first = self._of_hop(0).get(sample.id)
            if first is None or not question.starts_from(first.key):
                raw = replace(question, hop=0, kind="raw", text=sample.question, answer=sample.answer)
                first = replace(raw, key=question.root)
            yield first
        between = (self._of_hop(hop).get(sample.id) for hop in range(1, question.hop))
        yield from filter(None, between)
        yield question

    def _of_hop(self, hop: int) -> dict[str, Question]:
        """Read the kept questions of a hop, by sample, in their newest version; each hop is read only once.

        A question whose answer changed stays as it was, because the chain continues from its old answer.
        """
        while len(self._questions) <= hop:
            kept = self._store.questions(run=self._run, hop=len(self._questions))
            versions = newest_versions(self._store, self._run)
            pairs = ((first, versions.get(first.id, first)) for first in kept)
            self._questions.append({first.sample: last if last.key == first.key else first for first, last in pairs})
        return self._questions[hop]
