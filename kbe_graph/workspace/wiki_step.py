"""The outcome of a step towards a benchmark of pages, and how Wikimedia is asked."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class WikiStep:
    """The outcome of a step: how many ``things`` there are now, and how many were left out, by reason.

    ``new`` is how many of them this call added. ``awaits`` names the files of calls that wait for replies.
    """

    name: str
    things: str
    kept: int
    new: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    awaits: tuple[Path, ...] = ()

    def as_mapping(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return asdict(self) | {"awaits": [str(file) for file in self.awaits]}


class Wikimedia(NamedTuple):
    """How Wikimedia is asked; a field that is None comes from the environment or ``kbe.toml``."""

    contact: str | None = None
    server: str | None = None
    language: str | None = None
    offline: bool = False
