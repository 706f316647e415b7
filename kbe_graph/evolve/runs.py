"""Runs of a workspace: by rules, or with a model that proposes facts, words questions, or both."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

from kbe_graph.checks import FilterSettings, Scheme, build_checks
from kbe_graph.checks.needed import ImageNotNeeded
from kbe_graph.checks.reasons import NOT_REPRESENTATIVE
from kbe_graph.config import nearest_name, refuse_stranger
from kbe_graph.english.parse import load_spacy_model
from kbe_graph.errors import ConfigError, KbeWarning
from kbe_graph.evolve.blind_test import BlindTest
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
from kbe_graph.evolve.manifest import forgetting_failed, write_manifest
from kbe_graph.evolve.plan import Plan, rule_plan, sample_ids
from kbe_graph.evolve.recipe import Evolution, Expresser, Outlook, Recipe
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.facts.grounding import Grounded, Grounding, is_grounded
from kbe_graph.facts.review import kept_verdicts, write_pack
from kbe_graph.folder import Folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import loop
from kbe_graph.review.consequences import newest_versions
from kbe_graph.senses.sense import link
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.expresser import ModelExpresser, ModelReselector
from kbe_graph.steps.model_source import ModelOpinion, ModelSource, name_id
from kbe_graph.steps.session import ModelSession
from kbe_graph.steps.tasks import ModelAlternatives, ModelGuesser
from kbe_graph.steps.verifier import FactKey, ModelInspector, Verifier
from kbe_graph.store import Store
from kbe_graph.text import fold
from kbe_graph.types import Progress, Question, Sample, SampleGraph
from kbe_graph.wording.rule import RuleExpresser
from kbe_graph.workers import Workers, worth_starting

LAST_HOP = 1_000_000


def run_by_rules(
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
    plan = with_verdicts(rule_plan(scope, filter_settings(folder), source.settings), folder)
    number = worth_starting(workers, len(sample_ids(store, scope))) if source is PACKAGED else 1
    with write_manifest(folder, store, plan) as manifest:
        knowledge = gather(folder, store, plan, source, progress=progress)
        if knowledge.notes:
            manifest[source.settings["knowledge"]] = knowledge.notes
        evolution = evolution_of(store, plan, knowledge, progress=progress)
        if number == 1 and not ray:
            loop.run(evolve(evolution))
            return
        make = partial(worker_evolution, store, plan, kept_verdicts(folder.review))
        with closing(Workers(number, make, ray=ray)) as pool:
            loop.run(evolve(replace(evolution, workers=pool)))


def run_with_model(
    work: GraphAccess, session: ModelSession, plan: Plan, source: ChosenSource, *, progress: Progress
) -> tuple[Path, ...]:
    """Evolve the workspace's samples with a model; return the files of calls whose replies the run waits for."""
    folder, store = work.folder, work.store
    knowledge = gather(folder, store, plan, source, progress=progress)
    return session.do(partial(evolve_asking, folder, store, plan, knowledge, progress=progress), *plan.mix.steps)


async def evolve_asking(
    folder: Folder, store: Store, plan: Plan, knowledge: Knowledge, asker: Asker, progress: Progress = lambda *_: None
) -> None:
    """Evolve with a model, and write the run's manifest; repeating the call resumes the run.

    Raises ConfigError, StoreError and the errors of ``Model.ask``.
    """
    with write_manifest(folder, store, plan, families=plan.families):
        await evolve(evolution_of(store, plan, knowledge, asker, progress=progress))


def worker_evolution(store: Store, plan: Plan, verdicts: Verdicts) -> Evolution:
    """Build the evolution of a worker process, with all its resources loaded."""
    load_spacy_model()
    return evolution_of(store, plan, reviewed_knowledge(verdicts))


def gather(
    folder: Folder, store: Store, plan: Plan, source: ChosenSource, *, progress: Progress = lambda *_: None
) -> Knowledge:
    """Build the knowledge of a run; re-selection comes first if the source is queried in advance.

    After this the run needs no network connection. Raises ConfigError, StoreError and SourceError.
    """
    if source.ahead:
        first = replace(plan, scope=replace(plan.scope, hops=0))
        loop.run(evolve(evolution_of(store, first, packaged_knowledge(folder), progress=progress)))
    return source.gather(folder, store, plan, progress)


def fetch_facts(work: GraphAccess, scope: RunOptions, source: ChosenSource, pack: Path | None) -> Mapping[str, object]:
    """Re-select, keep a source's facts about all answers, write them to the folder ``pack`` as well, and return notes.

    Raises SourceError.
    """
    plan = with_verdicts(rule_plan(scope, filter_settings(work.folder), source.settings), work.folder)
    with work.reporter as reporter, forgetting_failed(work.store, scope.name):
        knowledge = gather(work.folder, work.store, plan, source, progress=reporter)
    if pack is not None:
        write_pack(pack, knowledge.told)
    return knowledge.notes


def evolution_of(
    store: Store,
    plan: Plan,
    knowledge: Knowledge,
    asker: Asker | None = None,
    *,
    progress: Progress = lambda *_: None,
) -> Evolution:
    """Build the evolution that generates the run's questions: by rules, or through ``asker``."""
    mix = plan.mix
    by_model = asker is not None and mix.wording == "model"
    scheme = Scheme(
        facts_known=not plan.proposes,
        by_rule=not by_model,
        demand=mix.ground if plan.proposes else "report",
        language=mix.language,
        choice=plan.choice,
    )
    checks = build_checks(knowledge.pack, plan.filters, scheme)
    rules = RuleExpresser(knowledge.pack)
    expresser: Expresser = ModelExpresser(asker) if asker and by_model else rules
    source, pack = knowledge.source, knowledge.pack
    if not plan.scope.unsourced:  # checks still know such facts: a question with two answers has them regardless
        source = Sourced(source)
        pack = replace(pack, facts=tuple(fact for fact in pack.facts if not fact.unsourced))
    outlook = Outlook(checks, pack)
    recipe = Recipe(source, checks, expresser, outlook, family=pack.family, concept_of=knowledge.link)
    if asker:
        recipe = _asking(recipe, store, plan, knowledge, asker)
    return Evolution(store, plan, recipe, progress=progress)


def _asking(recipe: Recipe, store: Store, plan: Plan, knowledge: Knowledge, asker: Asker) -> Recipe:
    mix, asks = plan.mix, plan.choice.asks
    if mix.wording == "model":
        recipe = replace(recipe, reselector=ModelReselector(asker, asks))
    if mix.verify:
        recipe = replace(recipe, inspector=ModelInspector(asker))
    if mix.guessing:
        guesser = ModelGuesser(asker, plan.filters.guess_tries)
        others = ModelAlternatives(asker) if asks(ImageNotNeeded.name) else None
        recipe = replace(recipe, blind_test=BlindTest(guesser, others, skips=mix.blind == "skip"))
    return _proposing(recipe, store, plan, knowledge, asker) if plan.proposes else recipe


def _proposing(recipe: Recipe, store: Store, plan: Plan, knowledge: Knowledge, asker: Asker) -> Recipe:
    mix, run = plan.mix, plan.run.name

    def verdicts(hop: int) -> dict[FactKey, bool]:
        others = [other.name for other in store.runs() if other.name != run]
        return store.verdicts(others, hop=LAST_HOP) | store.verdicts([run], hop=hop - 1)

    def concept_of(sample: Sample, graph: SampleGraph, question: Question) -> str:
        return knowledge.link(sample, graph, question) or name_id(question.answer)

    proposals = ModelSource(asker, mix.mode, concept=_concept, lineage=Lineage(store, run))
    return replace(
        recipe,
        knowledge=Grounded(proposals, Grounding(knowledge.pack), rename=mix.wording == "rule"),
        onward=lambda candidate, _: int(mix.ground == "prefer" and is_grounded(candidate.fact)),
        opinion=ModelOpinion(asker) if plan.choice.asks(NOT_REPRESENTATIVE) else None,
        second_opinion=Verifier(asker, verdicts) if mix.verify else None,
        best_first=True,
        parses=mix.wording == "rule",
        concept_of=concept_of,
    )


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
