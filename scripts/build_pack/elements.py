"""Symbols of the elements whose English name does not begin with them."""

from collections.abc import Iterator
from importlib.metadata import version

import periodictable
from noun import Nouns
from row import Row, Source

SOURCE = Source("periodictable", f"periodictable {version('periodictable')}", "2025", "public domain")


def rows(nouns: Nouns) -> Iterator[Row]:
    """Yield the chemical symbol of gold, iron and the like."""
    for element in periodictable.elements:
        if element.number and not element.name.startswith(element.symbol.lower()) and element.name in nouns.senses:
            noun = next(
                nouns.by_id[one] for one in nouns.senses[element.name] if nouns.by_id[one].lexicographer_file == 27
            )
            evidence = f"{element.name}: symbol {element.symbol}, number {element.number}"
            yield Row(
                noun.id, element.name, "chemical symbol", f"element:{element.symbol}", element.symbol, SOURCE,
                f"element:{element.number}", evidence,
            )  # fmt: skip
