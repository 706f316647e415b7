"""Plan of a run: who makes the questions, its options, and the settings that identify it when it is resumed."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from kbe_graph.checks import CheckChoice, choose_checks
from kbe_graph.checks.check import FilterSettings
from kbe_graph.checks.guessable import Guessable, Shares
from kbe_graph.checks.registry import EVERY, further_checks
from kbe_graph.errors import ConfigError, KbeWarning
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.facts.grounding import Demand
from kbe_graph.models.catalogue import in_one_family
from kbe_graph.models.settings import ModelBook, ModelSettings
from kbe_graph.review.consequences import newest, newest_versions
from kbe_graph.seeds import draw_ids
from kbe_graph.steps.asker import NO_PICTURE, REPLY
from kbe_graph.steps.model_options import Blind, Mode
from kbe_graph.steps.prompt import PACKAGED, PromptBook, prompt_hash
from kbe_graph.store import Store
from kbe_graph.types import RAW, Question, RunRecord, Sample, SampleGraph

BATCH = 200  # samples processed together
BATCH_ASKED = 1000  # of a run that asks a model
RuleOrModel = Literal["rule", "model"]

_PROPOSING: Mapping[Mode, tuple[str, ...]] = {
    "paper": ("knowledge", "representative"),
    "merged": ("hop",),
}


@dataclass(frozen=True, slots=True)
class Mix:
    """Choice of a run's fact source, question wording, model mode, and demand on a model's facts.

    ``knowledge`` is a name in ``SOURCES``; ``verify`` has a second model judge each triplet that a model proposes and
    each question; ``ground`` sets how unconfirmed facts are treated; ``blind`` sets whether a model is asked without
    the images, and how benchmark questions that it answers are treated.
    """

    mode: Mode = "merged"
    knowledge: str = "model"
    wording: RuleOrModel = "model"
    ground: Demand = "report"
    verify: bool = False
    language: str = "English"
    blind: Blind = "off"

    def __post_init__(self) -> None:
        if self.language != "English" and self.wording == "rule":
            raise ConfigError(f"rules can word questions only in English, not in {self.language!r}; let a model do it")

    @property
    def asks(self) -> bool:
        """Whether any step calls a model."""
        return bool(self.steps)

    @property
    def generating(self) -> tuple[str, ...]:
        """The steps in which a model provides facts and wordings."""
        proposing = _PROPOSING[self.mode] if self.knowledge == "model" else ()
        return (*proposing, *(("express", "reselect") if self.wording == "model" else ()))

    @property
    def guessing(self) -> tuple[str, ...]:
        """The blind steps, which require that a model writes the questions."""
        return ("guess", "alternatives") if self.generating and self.blind != "off" else ()

    @property
    def verifying(self) -> tuple[str, ...]:
        """The steps of the second model."""
        facts = ("verify",) if self.knowledge == "model" else ()
        return (*facts, "inspect") if self.verify else ()

    @property
    def steps(self) -> tuple[str, ...]:
        """All steps that call a model."""
        return (*self.generating, *self.guessing, *self.verifying)

    @property
    def settings(self) -> dict[str, str]:
        """The settings that affect a run's outcome."""
        named = {"mode": self.mode, "knowledge": self.knowledge, "wording": self.wording, "language": self.language}
        if self.knowledge == "model":
            named |= {"ground": self.ground, "verify": str(self.verify)}
        if self.generating:
            named |= {"blind": self.blind}
        return named | ({"verify": " and ".join(self.verifying)} if self.verify else {})


GUESSER = "guesser"


class Role(NamedTuple):
    """Role of a model in a run (generator, verifier, guesser or judge), with its settings."""

    name: str
    model: ModelSettings

    @property
    def family(self) -> str:
        """The model family; a model of unknown family is its own family."""
        return self.model.own_family


def roles(mix: Mix, book: ModelBook) -> list[Role]:
    """Determine the model of each role in a run; the generator verifies itself if no separate call does.

    A judge is included if a model is configured for it. Raises ConfigError if another role has no model.
    """
    if not mix.asks:
        return []
    steps = {"generator": mix.generating[0]} if mix.generating else {}
    if mix.verify:
        steps["verifier"] = "verify"
    elif mix.knowledge == "model":
        steps["verifier"] = _PROPOSING[mix.mode][-1]
    if mix.guessing:
        steps[GUESSER] = "guess"
    roles = [Role(name, book.settings_for(step)) for name, step in steps.items()]
    try:
        return [*roles, Role("judge", book.settings_for("judge"))]
    except ConfigError:
        return roles


def families_of(roles: Sequence[Role]) -> dict[str, str]:
    """List the model family of each role, and the families that roles share."""
    return {role.name: role.family for role in roles} | {"shared": roles_in_one_family(roles) or "none"}


def roles_in_one_family(roles: Sequence[Role]) -> str:
    """Describe which roles share a family, empty if all are independent.

    The guesser is ignored, as it judges nothing: it may belong to the generator's family, which the manifest records.
    """
    families: dict[str, list[str]] = {}
    for role in roles:
        if role.name != GUESSER:
            families.setdefault(role.family, []).append(role.name)
    return in_one_family(families)


def warn_of_one_family(roles: Sequence[Role]) -> None:
    """Warn (KbeWarning) if generator and verifier share a family, because the verification is then not independent."""
    if shared := roles_in_one_family([role for role in roles if role.name != "judge"]):
        way_out = (
            "set [models.verify] to a model of another family, and the model of the other steps in "
            "[models], because `model` applies to every step"
        )
        warnings.warn(f"{shared}; {way_out}", KbeWarning, stacklevel=3)


def require_independence(roles: Sequence[Role]) -> None:
    """Raise ConfigError if two roles share a family."""
    if shared := roles_in_one_family(roles):
        raise ConfigError(f"{shared}; set [models.verify] and [models.judge] to models of other families, and `verify`")


RULES = Mix(knowledge="pack", wording="rule")


@dataclass(frozen=True, slots=True)
class Plan:
    """Settings of a run, which identify it.

    ``filters`` are the thresholds of its checks, and ``choice`` the enabled checks. ``options`` is the most questions
    worded per choice, and ``batch`` the number of samples processed together. ``families`` are those of its models.
    """

    run: RunRecord
    scope: RunOptions
    mix: Mix = RULES
    filters: FilterSettings = field(default_factory=FilterSettings)
    options: int = 12
    batch: int = BATCH
    choice: CheckChoice = EVERY
    families: Mapping[str, str] = field(default_factory=dict)

    @property
    def shares(self) -> Shares:
        """The largest shares of a hop that one chain and one answer may have."""
        filters = self.filters
        return Shares(filters.chain_share, filters.answer_share) if self.choice.asks(Guessable.name) else Shares()

    @property
    def proposes(self) -> bool:
        """Whether a model proposes the facts."""
        return self.mix.knowledge == "model"


def rule_plan(scope: RunOptions, filters: FilterSettings, source: Mapping[str, str] | None = None) -> Plan:
    """Build the plan of a run by rules; ``source`` are the settings of its source of facts. Raises ConfigError."""
    source = source or {"knowledge": "pack"}
    mix = replace(RULES, knowledge=source["knowledge"])
    return _plan(scope, mix, filters, {**source, "wording": "rule", "filters": filters})


def model_plan(
    scope: RunOptions,
    mix: Mix,
    filters: FilterSettings,
    models: Sequence[Role] = (),
    prompts: PromptBook = PACKAGED,
) -> Plan:
    """Build the plan of a run with a model. Raises ConfigError for an unknown check.

    Its settings include the models, their family relations, and the prompt hashes.
    """
    asked = {role.name: f"{role.model.model} ({role.model.family})" for role in models}
    related = {"families": roles_in_one_family(models) or "independent"} if models else {}
    asked["prompts"] = ", ".join(prompt_hash(step, prompts) for step in mix.steps)
    plan = _plan(scope, mix, filters, {**mix.settings, "filters": filters, **asked, **related})
    return replace(plan, batch=BATCH_ASKED, families=families_of(models))


def _plan(scope: RunOptions, mix: Mix, filters: FilterSettings, chosen: Mapping[str, object]) -> Plan:
    choice = choose_checks(scope.filters, facts_known=mix.knowledge != "model")
    noted = replace(scope, filters=choice.text)
    settings = {**noted.settings(always=True), **chosen, **noted.settings(always=False)}
    if filters.blocked_relations:
        settings["blocked relations"] = ", ".join(filters.blocked_relations)
    if further := further_checks():
        settings["further checks"] = ", ".join(further)
    run = RunRecord(scope.name, scope.seed, tuple((key, str(value)) for key, value in settings.items()))
    return Plan(run, scope, mix, filters, choice=choice)


def sample_ids(store: Store, scope: RunOptions, *, status: str = "extracted") -> list[str]:
    """List the IDs of the samples with this status that a run requests."""
    ids = store.sample_ids(status=status, limit=scope.limit)
    return ids if scope.sample is None else draw_ids(ids, scope.sample, scope.seed)


def done_samples(store: Store, plan: Plan, hop: int) -> set[str]:
    """Find the samples whose question at a hop was made or permanently dropped.

    A question dropped for an unusable reply or a missing image is tried again when the command is repeated.
    """
    run = plan.run.name
    again = store.samples_to_ask_again(run=run, hop=hop, reason=NO_PICTURE, beginning=REPLY) if plan.mix.asks else ()
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
