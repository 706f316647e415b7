"""What a check of a demand finds, and its outcome."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from kbe_graph.statistics import wilson

Status = Literal["pass", "fail", "not stated", "not applicable"]
STATUSES: tuple[Status, ...] = ("fail", "not stated", "pass", "not applicable")
FEWEST = 20  # things of which a share can be called small


class AuditOutcome(NamedTuple):
    """The outcome of a check: its status, its figure in words, and the ids of what is at fault."""

    status: Status
    figure: str
    at_fault: tuple[str, ...] = ()


class Share(NamedTuple):
    """The number at fault, of all that were looked at; ``chance`` is the share that chance explains.

    ``limit`` is its own limit, in place of the criterion's.
    """

    faults: float
    of: int
    ids: Sequence[str] = ()
    chance: float = 0.0
    limit: float | None = None

    @property
    def is_small(self) -> bool:
        """Whether it is of too few to be called small."""
        return self.of < FEWEST

    def outcome(self, limit: float) -> AuditOutcome:
        """Compare with the limit. The share fails if the lower end of its 95 % interval is above limit and chance.

        It passes if it is not above them itself; between, it is too few to tell.
        """
        limit = limit if self.limit is None else self.limit
        if not self.of:
            return AuditOutcome("not applicable", "there is nothing of the kind")
        chance = f", by chance {self.chance:.0%}" if self.chance else ""
        figure = f"{self.faults:,.4g} of {self.of:,} fail ({self.faults / self.of:.1%}{chance})"
        most, is_enough = limit + self.chance, not (limit and self.is_small)
        if is_enough and wilson(self.faults, self.of)[0] > most:
            return AuditOutcome("fail", figure, tuple(self.ids))
        if is_enough and self.faults <= most * self.of:
            return AuditOutcome("pass", figure, tuple(self.ids))
        return AuditOutcome("not stated", f"{figure}, too few to tell", tuple(self.ids))


def outcome_if(passes: bool, figure: str, of: int = FEWEST) -> AuditOutcome:
    """Return the outcome of a check that compares its figure itself, which is one of ``of`` questions."""
    if of < FEWEST:
        return AuditOutcome("not stated", f"{figure}, too few to tell")
    return AuditOutcome("pass" if passes else "fail", figure)


def outcome_above_zero(figure: str, low: float | None, high: float | None, of: int) -> AuditOutcome:
    """Return the outcome of a figure that is to be above zero, by its 95 % interval."""
    if low is None or high is None or low <= 0 < high:
        return AuditOutcome("not stated", f"{figure}, too few to tell")
    return outcome_if(low > 0, figure, of)


Finding = AuditOutcome | Share | Mapping[str, Share] | None
"""What a check finds. Of shares by name each must pass; None leaves it to the owner's statement."""
