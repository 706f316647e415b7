"""Plan of a run: its options, and the settings that identify it when it is resumed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kbe_graph.checks import CheckChoice, choose_checks
from kbe_graph.checks.check import FilterSettings
from kbe_graph.checks.guessable import Guessable, Shares
from kbe_graph.checks.registry import EVERY, further_checks
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.review.consequences import newest, newest_versions
from kbe_graph.seeds import draw_ids
from kbe_graph.steps.asker import NO_PICTURE, REPLY
from kbe_graph.store import Store
from kbe_graph.types import RAW, Question, RunRecord, Sample, SampleGraph


@dataclass(frozen=True, slots=True)
class Plan:
    """Settings of a run.

    ``filters`` are the thresholds of its checks, and ``choice`` the enabled checks. ``options`` is the most questions
    worded per choice, and ``batch`` the number of samples processed together. ``asks`` says whether a model is called.
    """

    run: RunRecord
    scope: RunOptions
    filters: FilterSettings = field(default_factory=FilterSettings)
    options: int = 12
    batch: int = 200
    choice: CheckChoice = EVERY
    asks: bool = False

    @property
    def shares(self) -> Shares:
        """The largest shares of a hop that one chain and one answer may have."""
        filters = self.filters
        return Shares(filters.chain_share, filters.answer_share) if self.choice.asks(Guessable.name) else Shares()


def plan_of(
    scope: RunOptions,
    filters: FilterSettings,
    chosen: Mapping[str, object],
    *,
    facts_known: bool = True,
    batch: int = 200,
    asks: bool = False,
) -> Plan:
    """Build a run's plan; ``chosen`` are the other settings that affect its outcome.

    ``facts_known`` says that no model proposes facts, ``asks`` that a model is called. Raises ConfigError for an
    unknown check.
    """
    choice = choose_checks(scope.filters, facts_known=facts_known)
    noted = replace(scope, filters=choice.text)
    settings = {**noted.settings(always=True), **chosen, **noted.settings(always=False)}
    if filters.blocked_relations:
        settings["blocked relations"] = ", ".join(filters.blocked_relations)
    if further := further_checks():
        settings["further checks"] = ", ".join(further)
    run = RunRecord(scope.name, scope.seed, tuple((key, str(value)) for key, value in settings.items()))
    return Plan(run, scope, filters, batch=batch, choice=choice, asks=asks)


def sample_ids(store: Store, scope: RunOptions, *, status: str = "extracted") -> list[str]:
    """List the IDs of the samples with this status that a run requests."""
    ids = store.sample_ids(status=status, limit=scope.limit)
    return ids if scope.sample is None else draw_ids(ids, scope.sample, scope.seed)


def done_samples(store: Store, plan: Plan, hop: int) -> set[str]:
    """Find the samples whose question at a hop was made or permanently dropped.

    A question dropped for an unusable reply or a missing image is tried again when the command is repeated.
    """
    run = plan.run.name
    again = store.samples_to_ask_again(run=run, hop=hop, reason=NO_PICTURE, beginning=REPLY) if plan.asks else ()
    return set(store.question_samples(run=run, hop=hop, status=None)).difference(again)


def noun_answer(question: Question) -> bool:
    """Return True if the answer is a noun: the sample is in Pos_T1, else in Pos_F."""
    return question.end.noun


def first_questions(store: Store, run: str, ids: Sequence[str]) -> list[Question]:
    """Find each sample's starting question: its own if the answer is a noun, else the re-selected one.

    A revised question is returned in its newest version.
    """
    own = [question for question in newest(store, store.questions(run=RAW, samples=ids)) if noun_answer(question)]
    starting = {question.sample for question in own}
    reselected = [each for each in store.questions(run=run, hop=0, samples=ids) if each.sample not in starting]
    return own + newest(store, reselected)


def revised_roots(store: Store, questions: Sequence[Question]) -> dict[str, Question]:
    """Find the revised raw questions from which the chains of ``questions`` start, by sample."""
    revised = newest_versions(store, RAW, [question.sample for question in questions])
    roots = {raw.sample: raw for raw in revised.values()}
    starting = (question for question in questions if question.sample in roots)
    return {each.sample: roots[each.sample] for each in starting if each.starts_from(roots[each.sample].key)}


def with_root(sample: Sample, root: Question | None) -> Sample:
    """Apply a revised raw question, if there is one, to its sample."""
    return sample if root is None else replace(sample, question=root.text, answer=root.answer)


def graph_with_root(graph: SampleGraph, root: Question) -> SampleGraph:
    """Apply the key of a revised raw question to its sample's graph."""
    present = {(triplet.id, triplet.graph) for triplet in (*graph.visual, *graph.textual)}
    new = [triplet for triplet in root.key if (triplet.id, triplet.graph) not in present]
    visual, textual = ([triplet for triplet in new if triplet.graph == kind] for kind in ("visual", "textual"))
    return replace(graph, visual=(*graph.visual, *visual), textual=(*graph.textual, *textual), key=root.key)


def samples_to_reselect(store: Store, scope: RunOptions) -> list[str]:
    """List the IDs of the samples whose answer is not a noun, or of all samples if ``scope`` says so."""
    return store.question_samples(run=RAW, hop=0, noun=None if scope.reselect == "all" else False)


def samples_to_explore(store: Store, run: str, hop: int) -> set[str]:
    """Find the IDs of samples to explore from: with a question of the previous hop, or at hop 1 a noun answer."""
    if hop > 1:
        return set(store.question_samples(run=run, hop=hop - 1))
    return {sample for name in (RAW, run) for sample in store.question_samples(run=name, hop=0, noun=True)}
