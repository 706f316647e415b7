"""What a user says of what a run is asked for."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from kbe_graph.evolve.plan import Reselect


class RunOptions(TypedDict, total=False):
    """How far a run goes, over which samples, and by which checks; what is left out is as ``Scope`` has it."""

    hops: int
    seed: int
    run: str | None
    limit: int | None
    sample: int | None
    max_length: int
    timeout: float
    filters: str
    reselect: "Reselect"
    unsourced: bool
