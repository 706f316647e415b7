"""What a user says of what a run is asked for."""

from typing import TypedDict


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
