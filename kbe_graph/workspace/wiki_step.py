"""The outcome of a step towards a benchmark of pages, and how Wikimedia is asked."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class WikiStep:
    """The outcome of a step: the number of ``things`` in total, and of those left out, by reason.

    ``new`` is the number that this call added. ``awaits`` lists the files of calls that wait for replies.
    """

    name: str
    things: str
    kept: int
    new: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    awaits: tuple[Path, ...] = ()

    def as_mapping(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return asdict(self) | {"awaits": [str(file) for file in self.awaits]}


class Wikimedia(NamedTuple):
    """How to call Wikimedia. Fields that are None come from the environment or ``kbe.toml``."""

    contact: str | None = None
    server: str | None = None
    language: str | None = None
    offline: bool = False
