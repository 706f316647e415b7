"""Atomic numbers of the elements, and the symbols of those whose English name does not begin with them."""

from collections.abc import Iterator
from importlib.metadata import version

import periodictable
from noun import Nouns
from row import Row, Source

SUBSTANCE, QUANTITY = 27, 23  # the lexicographer's files
SOURCE = Source("periodictable", f"periodictable {version('periodictable')}", "2025", "public domain")


def rows(nouns: Nouns) -> Iterator[Row]:
    """Yield the atomic number of each element, and the chemical symbol of gold, iron and the like."""
    for element in periodictable.elements:
        found = [nouns.by_id[one] for one in nouns.senses.get(element.name, ())] if element.number else []
        for noun in [one for one in found if one.lexicographer_file == SUBSTANCE][:1]:
            symbol, number = element.symbol, str(element.number)
            evidence, ref = f"{element.name}: symbol {symbol}, number {number}", f"element:{number}"
            words = [nouns.by_id[one] for one in nouns.senses.get(number, ()) if number in nouns.by_id[one].lemmas]
            told = [("atomic number", one.id, one.label) for one in words if one.lexicographer_file == QUANTITY][:1]
            if not element.name.startswith(symbol.lower()):
                told.append(("chemical symbol", f"element:{symbol}", symbol))
            for relation, thing, label in told:
                yield Row(noun.id, element.name, relation, thing, label, SOURCE, ref, evidence)
