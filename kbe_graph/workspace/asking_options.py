"""What a user says of what models are asked."""

from collections.abc import Sequence
from typing import TypedDict

from kbe_graph.types import Variant


class AskingOptions(TypedDict, total=False):
    """Which questions are asked, in which ways and how often; what is left out is as ``AskingScope`` has it."""

    run: str | None
    hops: str | None
    variants: Sequence[Variant]
    runs: int | None
    shard: str | None
    incomplete: bool
