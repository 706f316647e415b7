"""Plan of a run: one frozen value that holds everything its questions depend on, and identifies it when resumed."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kbe_graph.checks import CheckChoice, choose_checks
from kbe_graph.checks.check import FilterSettings
from kbe_graph.checks.guessable import Guessable, Shares
from kbe_graph.checks.registry import EVERY, GUESSED, further_checks
from kbe_graph.errors import ConfigError, InputError, KbeWarning
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.models.catalogue import in_one_family
from kbe_graph.models.settings import ModelBook, ModelSettings
from kbe_graph.review.consequences import newest
from kbe_graph.steps.asker import NO_PICTURE, REPLY
from kbe_graph.steps.model_options import GATES, MODEL, ModelOptions
from kbe_graph.steps.prompt import prompt_hash
from kbe_graph.store import Store
from kbe_graph.types import EXPLORING, RAW, Question, RunRecord, draw_ids

BATCH = 200  # samples processed together
BATCH_ASKED = 1000  # of a run that asks a model
GUESSER = "guesser"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does. ``run`` is its name, seed and recorded settings.

    ``model`` is how a model is asked, and ``filters`` are the thresholds of the checks that ``choice`` enables.
    ``families`` are the model families of its roles, ``only`` the samples that are drafted (by default all), ``batch``
    is the number of samples processed together, and ``max_options`` the most questions worded per choice.
    """

    run: RunRecord
    options: RunOptions
    model: ModelOptions = MODEL
    filters: FilterSettings = field(default_factory=FilterSettings)
    choice: CheckChoice = EVERY
    families: Mapping[str, str] = field(default_factory=dict)
    only: frozenset[str] = frozenset()
    batch: int = BATCH
    max_options: int = 12

    @property
    def shares(self) -> Shares:
        """The largest shares of a hop that one chain and one answer may have."""
        filters = self.filters
        return Shares(filters.chain_share, filters.answer_share) if self.choice.asks(Guessable.name) else Shares()

    @property
    def proposes(self) -> bool:
        """Whether a model proposes the facts."""
        return self.options.knowledge == "model"

    @property
    def words(self) -> bool:
        """Whether a model words the questions."""
        return self.options.wording == "model"

    @property
    def by_shapes(self) -> bool:
        """Whether a model drafts questions of all shapes, in place of hop after hop."""
        return self.model.mode == "merged" and self.proposes and self.words

    @property
    def gates(self) -> frozenset[str]:
        """The gates that drafts must pass. Raises ConfigError for an unknown one."""
        names = frozenset(filter(None, (name.strip() for name in self.model.gates.split(","))))
        if strangers := sorted(names - set(GATES)):
            raise ConfigError(f"no gate {strangers[0]!r}; choose from {', '.join(GATES)}")
        return names

    @property
    def proposing(self) -> tuple[str, ...]:
        """The steps in which a model provides facts."""
        if self.by_shapes:
            return "draft", "mend"
        return ("knowledge", "representative") if self.proposes else ()

    @property
    def generating(self) -> tuple[str, ...]:
        """The steps in which a model provides facts and wordings."""
        if self.by_shapes:
            return self.proposing
        return (*self.proposing, *(("express", "reselect") if self.words else ()))

    @property
    def guessing(self) -> tuple[str, ...]:
        """The blind steps, which require that a model writes the questions."""
        if self.by_shapes:
            return ("guess",) if self.model.blind != "off" and "words" in self.gates else ()
        return ("guess", "alternatives") if self.generating and self.model.blind != "off" else ()

    @property
    def verifying(self) -> tuple[str, ...]:
        """The steps of the second model."""
        if self.by_shapes:
            steps = {"true": "confirm", "answered": "solve", "chosen": "pick"}
            return (*(step for gate, step in steps.items() if gate in self.gates), "answer")
        return (*(("verify",) if self.proposes else ()), "inspect") if self.model.verify else ()

    @property
    def steps(self) -> tuple[str, ...]:
        """All steps that call a model; empty for a run by rules."""
        return (*self.generating, *self.guessing, *self.verifying)


def plan_run(
    options: RunOptions,
    filters: FilterSettings,
    model: ModelOptions | None = None,
    *,
    book: ModelBook | None = None,
    prompts: Path | None = None,
    source: Mapping[str, str] | None = None,
    verdicts: str = "",
) -> Plan:
    """Plan a run: a given model makes facts and wordings, unless the options say otherwise.

    ``book`` holds the settings of its models, whose names and families are recorded with the hashes of the prompts;
    ``source`` are the settings of its source of facts, and ``verdicts`` the hash of people's verdicts on facts. Raises
    InputError for a model without a task, and ConfigError for an unknown check, a role without a model, and models of
    one family that must not be.
    """
    options = options.settled(by_model=model is not None)
    choice = choose_checks(options.filters, facts_known=options.knowledge != "model")
    options = replace(options, filters=choice.text)
    asked = model or MODEL
    if not choice.asks(GUESSED):
        asked = replace(asked, blind="off")
    plan = Plan(RunRecord(options.name, options.seed), options, asked, filters, choice)
    if asked.language != "English" and not plan.words:
        raise ConfigError(f"rules can word questions only in English, not in {asked.language!r}; let a model do it")
    if plan.gates != set(GATES) and plan.steps and not plan.by_shapes:
        raise ConfigError("only drafts of mode 'merged', of a model's facts and words, pass gates; leave out `gates`")
    if plan.by_shapes and (choice != EVERY or options.unsourced or asked.ground == "prefer" or asked.verify):
        raise ConfigError(
            "mode 'merged' has gates of its own, and a second opinion on every fact; leave out `filters`, `unsourced`, "
            "`verify` and `ground` 'prefer' (`ground` 'require' and `blind` 'off' apply), or choose mode 'paper'"
        )
    if model is not None and not plan.steps:
        raise InputError(
            f"the model would have nothing to do: facts come from {options.knowledge!r} and rules word the questions; "
            "leave out one of the three, or let the model verify"
        )
    roles = roles_of(plan, book) if book else {}
    if plan.steps:
        plan = replace(plan, batch=BATCH_ASKED, families=_families(plan, roles))
    settings = {
        **options.settings(always=True),
        **(_asked_settings(plan, roles, prompts) if plan.steps else _rule_settings(plan, source or {})),
        **options.settings(always=False),
        **({"blocked relations": ", ".join(filters.blocked_relations)} if filters.blocked_relations else {}),
        **({"further checks": ", ".join(further_checks())} if further_checks() else {}),
        **({"verdicts": verdicts} if verdicts else {}),
    }
    recorded = tuple((name, str(value)) for name, value in settings.items())
    return replace(plan, run=replace(plan.run, settings=recorded))


def _rule_settings(plan: Plan, source: Mapping[str, str]) -> dict[str, object]:
    return {"knowledge": plan.options.knowledge, **source, "wording": "rule", "filters": plan.filters}


def _asked_settings(plan: Plan, roles: Mapping[str, ModelSettings], prompts: Path | None) -> dict[str, object]:
    options, model = plan.options, plan.model
    chosen = {"knowledge": options.knowledge, "wording": options.wording, "language": model.language}
    settings: dict[str, object] = {"mode": model.mode, **chosen}
    if plan.proposes:
        settings |= {"ground": model.ground, "verify": model.verify}
    if plan.generating:
        settings["blind"] = model.blind
    settings |= {"hops": options.hops} if plan.by_shapes else {}
    if plan.by_shapes and plan.gates != set(GATES):
        settings["gates"] = ", ".join(sorted(plan.gates))
    if plan.verifying:
        settings["verify"] = " and ".join(plan.verifying)
    settings["filters"] = plan.filters
    settings |= {role: f"{each.model} ({each.family})" for role, each in roles.items()}
    settings["prompts"] = ", ".join(prompt_hash(step, prompts) for step in plan.steps)
    return settings | ({"families": _shared(roles) or "independent"} if roles else {})


def roles_of(plan: Plan, book: ModelBook) -> dict[str, ModelSettings]:
    """Determine the model of each role in a run; the generator verifies itself if no separate call does.

    A judge is included if a model is configured for it. Raises ConfigError if another role has no model.
    """
    steps = {"generator": plan.generating[0]} if plan.generating else {}
    if verifying := plan.verifying or plan.proposing:
        steps["verifier"] = "verify" if plan.verifying else verifying[-1]
    if plan.guessing:
        steps[GUESSER] = "guess"
    roles = {role: book.settings_for(step) for role, step in steps.items()}
    try:
        return roles | {"judge": book.settings_for("judge")}
    except ConfigError:
        return roles


def _families(plan: Plan, roles: Mapping[str, ModelSettings]) -> dict[str, str]:
    """List the model family of each role; warn (KbeWarning) if a verifier shares its generator's, or raise."""
    shared = _shared(roles)
    if shared and plan.model.independent:
        raise ConfigError(f"{shared}; set [models.verify] and [models.judge] to models of other families, and `verify`")
    if plan.model.verify and (makers := _shared({role: each for role, each in roles.items() if role != "judge"})):
        way_out = (
            "set [models.verify] to a model of another family, and the model of the other steps in "
            "[models], because `model` applies to every step"
        )
        warnings.warn(f"{makers}; {way_out}", KbeWarning, stacklevel=4)
    return {role: each.own_family for role, each in roles.items()} | {"shared": shared or "none"}


def _shared(roles: Mapping[str, ModelSettings]) -> str:
    """Describe which roles share a family; the guesser may share one, because it judges nothing."""
    families: dict[str, list[str]] = {}
    for role, settings in roles.items():
        if role != GUESSER:
            families.setdefault(settings.own_family, []).append(role)
    return in_one_family(families)


def sample_ids(store: Store, options: RunOptions, *, status: str = "extracted") -> list[str]:
    """List the IDs of the samples with this status that a run requests."""
    ids = store.sample_ids(status=status, limit=options.limit)
    return ids if options.sample is None else draw_ids(ids, options.sample, options.seed)


def done_samples(store: Store, plan: Plan, hop: int) -> set[str]:
    """Find the samples whose question at a hop was made or permanently dropped.

    A question dropped for an unusable reply or a missing image is tried again when the command is repeated.
    """
    run = plan.run.name
    again = store.samples_to_ask_again(run=run, hop=hop, reason=NO_PICTURE, beginning=REPLY) if plan.steps else ()
    return set(store.question_samples(run=run, hop=hop, status=None)).difference(again)


def first_questions(store: Store, run: str, ids: Sequence[str]) -> list[Question]:
    """Find each sample's starting question: its own if the answer is a noun, else the re-selected one.

    A revised question is returned in its newest version.
    """
    own = [question for question in newest(store, store.questions(run=RAW, samples=ids)) if question.end.noun]
    starting = {question.sample for question in own}
    reselected = [each for each in store.questions(run=run, hop=0, samples=ids) if each.sample not in starting]
    return own + newest(store, reselected)


def claim(store: Store, run: RunRecord) -> None:
    """Claim a run's name, or resume the run; raises ConfigError if it was made with other settings."""
    kept = {kept.name: kept for kept in store.runs()}
    before = kept.get(run.name, run)
    new = dict(run.settings)
    old = {"hops": new.get("hops"), **dict(before.settings)}  # earlier versions do not record them
    names = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    if other := ", ".join([*names, *(["seed"] if before.seed != run.seed else [])]):
        raise ConfigError(f"run {run.name!r} was made with different settings ({other}); name another run with `run`")
    store.save_run(replace(run, state=EXPLORING if before.state == EXPLORING else "running"))
