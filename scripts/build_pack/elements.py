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
        synsets = [nouns.by_id[synset] for synset in nouns.senses.get(element.name, ())] if element.number else []
        for noun in [synset for synset in synsets if synset.lexicographer_file == SUBSTANCE][:1]:
            symbol, number = element.symbol, str(element.number)
            evidence, ref = f"{element.name}: symbol {symbol}, number {number}", f"element:{number}"
            words = [
                nouns.by_id[synset] for synset in nouns.senses.get(number, ()) if number in nouns.by_id[synset].lemmas
            ]
            facts = [
                ("atomic number", synset.id, synset.label) for synset in words if synset.lexicographer_file == QUANTITY
            ][:1]
            if not element.name.startswith(symbol.lower()):
                facts.append(("chemical symbol", f"element:{symbol}", symbol))
            for relation, thing, label in facts:
                yield Row(noun.id, element.name, relation, thing, label, SOURCE, ref, evidence)
