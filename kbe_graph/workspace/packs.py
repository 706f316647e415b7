"""The facts of a pack: those of an entity, their age, and a sheet to review them with."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import ResourceError
from kbe_graph.facts.pack import FACTS, Age, Pack, ages, pack, read_pack
from kbe_graph.facts.review import write_sheet
from kbe_graph.facts.walk import EntityFacts, look_up


class FactAges(NamedTuple):
    """The share of facts without a date or with one before ``than``, by source."""

    than: str
    sources: tuple[Age, ...]


def facts_about(entity: str, *, pack: Path | str | None = None) -> tuple[EntityFacts, ...]:
    """Look up a concept by its id, or all concepts of a name, with all their facts and aliases.

    ``pack`` is the folder of a fact pack (default: the packaged one). Raises InputError if nothing is known.

    >>> italy, *_ = kbe.facts_about("Italy")
    >>> [fact.object for fact in italy.facts if fact.relation == "capital"]
    ['Rome']
    """
    return look_up(open_pack(pack), entity)


def fact_ages(years: float, *, pack: Path | str | None = None) -> FactAges:
    """Return, by source, how many facts are undated or older than so many years."""
    before = (datetime.now(UTC) - timedelta(days=365.25 * years)).date().isoformat()
    return FactAges(before, tuple(ages(open_pack(pack).facts, before)))


def review_sheet(file: Path | str, *, pack: Path | str | None = None) -> int:
    """Write a sheet (TSV) for reviewing facts, and return the number of facts to review. Raises InputError.

    >>> kbe.review_sheet(folder / "sheet.tsv") > 0
    True
    """
    return write_sheet(Path(file), open_pack(pack))


def open_pack(folder: Path | str | None = None) -> Pack:
    """Return the pack in a folder, the packaged one without; raises ResourceError if there is none."""
    if folder is None:
        return pack()
    if not (Path(folder) / FACTS).is_file():
        raise ResourceError(f"no pack at {str(folder)!r}; fetch facts into it (`fetch` with `pack`)")
    return read_pack(Path(folder))
