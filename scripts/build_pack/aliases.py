"""Other right names of the objects: synonyms of WordNet, spellings, codes, common names of taxa, names given by hand.

``aliases.tsv`` names a concept by id or label; a name with a dash before it is a synonym that no judge should take
for right.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lemminflect import getInflection
from noun import Nouns
from row import Row

from kbe_graph.english.inflect import is_counted

QUANTITY, STATE, TIME = 23, 26, 28  # the lexicographer's files of numbers, of diseases and of seasons: not counted
COLUMNS = ("concept", "label", "aliases")


def by_hand(file: Path) -> dict[str, list[str]]:
    """Return the names of ``aliases.tsv`` by concept or label."""
    names: dict[str, list[str]] = {}
    for line in file.read_text(encoding="utf-8").splitlines()[1:]:
        concept, others = line.split("\t")
        names.setdefault(concept, []).extend(others.split("|"))
    return names


def lines(nouns: Nouns, rows: Sequence[Row], given: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str, str]]:
    """Yield each object with its other names, ``|`` between them; some are ``given`` by hand."""
    money = {row.object_id: _full_name(row) for row in rows if row.relation == "currency"}
    numbers = {row.object_id for row in rows if row.relation.startswith("number of ")}
    named = {row.subject_id: row.subject for row in rows if row.subject_id.startswith("name:")}
    for concept, label in sorted((named | {row.object_id: row.object for row in rows}).items()):
        names = [*given.get(label, ()), *given.get(concept, ()), *_synonyms(nouns, concept)]
        names += [money[concept]] if concept in money else []
        if concept in numbers:
            pass  # forty-two teeth are no forty-twos
        elif concept not in nouns.by_id or nouns.by_id[concept].lexicographer_file not in {QUANTITY, STATE, TIME}:
            names += _plural(label)
        refused = {label.casefold(), *(name[1:].casefold() for name in names if name.startswith("-"))}
        names = list(dict.fromkeys(name for name in names if name.casefold() not in refused and name[0] != "-"))
        if names:
            yield concept, label, "|".join(names)


def _synonyms(nouns: Nouns, concept: str) -> list[str]:
    noun = nouns.by_id.get(concept)
    if noun is None:
        return []
    if noun.lexicographer_file == QUANTITY:
        return [lemma for lemma in noun.lemmas if lemma.isdigit()]  # four is 4, but neither a quartet nor Little Joe
    return [lemma for lemma in noun.lemmas if "apital of" not in lemma and not lemma.endswith("capital")]


def _full_name(row: Row) -> str:
    """Return the currency's full name, which the evidence holds in brackets: ``Japanese yen``."""
    return row.evidence.partition("(")[2].partition(")")[0]


def _plural(label: str) -> list[str]:
    """Return the plural of a noun that is counted; proper names, stuffs, acts (sleeping) and sciences have none."""
    *before, last = label.split()
    if not label.islower() or last.endswith(("s", "ology")) or not is_counted(label):
        return []
    return [" ".join((*before, form)) for form in getInflection(last, "NNS")[:1]]
