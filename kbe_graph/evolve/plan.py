"""What a run is asked for, and the plan that follows: its settings, by which a run is known when it goes on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kbe_graph.checks import CheckChoice, choose_checks
from kbe_graph.checks.check import FilterSettings
from kbe_graph.checks.guessable import Guessable, Shares
from kbe_graph.checks.registry import ALL, EVERY, further_checks
from kbe_graph.errors import InputError
from kbe_graph.models.shard import Shard
from kbe_graph.text import check_name
from kbe_graph.types import RAW, RunRecord

Reselect = Literal["needed", "all"]


@dataclass(frozen=True, slots=True)
class Scope:
    """What every run is asked for, whoever knows the facts and words the questions.

    ``limit`` is a number of samples, the first by id, ``sample`` a number of them that the seed draws; ``max_length``
    the longest path in edges that re-selection follows, and ``timeout`` its search in seconds. ``filters`` says which
    checks judge: ``all``, ``paper``, or names. ``reselect`` says which samples are re-selected: those whose answer is
    no noun (``needed``), as in the paper, or ``all``: what is explored starts from those of ``needed`` alone.
    ``unsourced`` lets the run use facts that were told without opening a source.
    """

    name: str
    seed: int = 0
    hops: int = 3
    limit: int | None = None
    max_length: int = 10
    timeout: float = 60
    filters: str = ALL
    sample: int | None = None
    reselect: Reselect = "needed"
    unsourced: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of a run.

    ``filters`` are the thresholds of its checks, of which ``choice`` judge. ``options`` are the most questions that are
    worded to choose from, ``batch`` the samples that are looked at together, and ``shard`` is the part of the samples
    that this machine works on. ``asks`` says whether a model is asked anything.
    """

    run: RunRecord
    scope: Scope
    filters: FilterSettings = field(default_factory=FilterSettings)
    options: int = 12
    batch: int = 200
    shard: Shard | None = None
    choice: CheckChoice = EVERY
    asks: bool = False

    def holds(self, sample: str) -> bool:
        """Return whether this machine works on the sample of this id."""
        return self.shard is None or self.shard.holds(sample)

    @property
    def shares(self) -> Shares:
        """The largest shares of a hop that one chain and one answer may have."""
        filters = self.filters
        return Shares(filters.chain_share, filters.answer_share) if self.choice.asks(Guessable.name) else Shares()


def plan_of(
    scope: Scope,
    filters: FilterSettings,
    chosen: Mapping[str, object],
    *,
    facts_known: bool = True,
    batch: int = 200,
    asks: bool = False,
) -> Plan:
    """Return the plan of a scope; ``chosen`` are the other settings that its outcome depends on.

    ``facts_known`` says that no model proposes its facts, ``asks`` that one is asked anything. Raises ConfigError
    where a check is named that there is not.
    """
    choice = choose_checks(scope.filters, facts_known=facts_known)
    settings = {"limit": scope.limit, "max length": scope.max_length, **chosen}
    if scope.sample is not None:
        settings["sample"] = scope.sample
    if choice.names is not None:
        settings["checks"] = choice.text
    if not scope.unsourced:
        settings["unsourced"] = "off"
    if scope.reselect == "all":
        settings["reselect"] = "all"
    if further := further_checks():
        settings["further checks"] = ", ".join(further)
    run = RunRecord(scope.name, scope.seed, tuple((key, str(value)) for key, value in settings.items()))
    return Plan(run, scope, filters, batch=batch, choice=choice, asks=asks)


def run_name(run: str | None, seed: int, limit: int | None = None, sample: int | None = None) -> str:
    """Return the name of a run: the one given, else one made of its seed and the number of its samples.

    Raises InputError for a name that is reserved or cannot be part of a question's id.
    """
    if run == RAW:
        raise InputError(f"run {RAW!r} is the benchmark's own questions; choose another name")
    if run is not None and (not run.strip() or "@" in run):
        raise InputError(f"run {run!r} cannot be part of a question's id; use a word without '@'")
    check_name("run", run or "")
    few = (f"-{name}-{number}" for name, number in (("limit", limit), ("sample", sample)) if number)
    return run or "".join((f"seed-{seed}", *few))
