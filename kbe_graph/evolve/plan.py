"""The plan of a run: its options, and the settings by which it is known when it goes on."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kbe_graph.checks import CheckChoice, choose_checks
from kbe_graph.checks.check import FilterSettings
from kbe_graph.checks.guessable import Guessable, Shares
from kbe_graph.checks.registry import EVERY, further_checks
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.models.shard import Shard
from kbe_graph.types import RunRecord


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of a run.

    ``filters`` are the thresholds of its checks, of which ``choice`` judge. ``options`` are the most questions that are
    worded to choose from, ``batch`` the samples that are looked at together, and ``shard`` is the part of the samples
    that this machine works on. ``asks`` says whether a model is asked anything.
    """

    run: RunRecord
    scope: RunOptions
    filters: FilterSettings = field(default_factory=FilterSettings)
    options: int = 12
    batch: int = 200
    shard: Shard | None = None
    choice: CheckChoice = EVERY
    asks: bool = False

    def holds(self, sample: str) -> bool:
        """Tell whether this machine works on the sample of this id."""
        return self.shard is None or self.shard.holds(sample)

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
    """Plan a run; ``chosen`` are the other settings that its outcome depends on.

    ``facts_known`` says that no model proposes the facts, ``asks`` that one is asked anything. Raises ConfigError for
    an unknown check.
    """
    choice = choose_checks(scope.filters, facts_known=facts_known)
    noted = replace(scope, filters=choice.text)
    settings = {**noted.settings(always=True), **chosen, **noted.settings(always=False)}
    if further := further_checks():
        settings["further checks"] = ", ".join(further)
    run = RunRecord(scope.name, scope.seed, tuple((key, str(value)) for key, value in settings.items()))
    return Plan(run, scope, filters, batch=batch, choice=choice, asks=asks)
