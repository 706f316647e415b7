"""Which of several formats a file is in: the one that is asked for, or the first that knows it by its content."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Protocol, TypeVar

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.text import quoted

Source_contra = TypeVar("Source_contra", contravariant=True)


class KnownFormat(Protocol[Source_contra]):
    """A format that says what it looks for in a source, for messages, and whether a source has it."""

    @property
    def looks_for(self) -> str:
        """What it looks for, in words."""

    @property
    def matches(self) -> Callable[[Source_contra], bool]:
        """Whether a source has it."""


def choose_format(
    name: str | None,
    source: Source_contra,
    formats: Mapping[str, KnownFormat[Source_contra]],
    *,
    file: Path,
    fields: Iterable[str],
    of: str = "",
) -> str:
    """Return the format of this name, else the first that matches the source.

    ``fields`` are what was found in it, and ``of`` what it is a format of, both for messages. Raises InputError for a
    name that is not there, and DatasetError where no format matches.
    """
    kind = f"format{of and f' of {of}'}"
    chosen = name or next((name for name, format_ in formats.items() if format_.matches(source)), None)
    if chosen is None:
        looked_for = "; ".join(format_.looks_for for format_ in formats.values())
        raise DatasetError(file, f"no known {kind}: found {quoted(fields)}; looked for {looked_for}")
    if chosen not in formats:
        raise InputError(f"no {kind} {chosen!r}; there are {', '.join(formats)}")
    return chosen
