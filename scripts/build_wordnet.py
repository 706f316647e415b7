"""Builds the index of WordNet 3.0 that travels with the package: ``kbe_graph/data/wordnet/``.

The same folder gives the same bytes. Debian's package wordnet-base 3.0 holds WordNet's own files::

    apt-get download wordnet-base && dpkg -x wordnet-base_*.deb wordnet
    python scripts/build_wordnet.py wordnet/usr/share/wordnet

Files written (tab-separated, gzip without a time stamp; names folded as ``kbe_graph.text.fold`` does):

- ``nouns.tsv.gz``: lemma; its synsets, most frequent sense first, each ``offset`` or ``offset:tagged count``.
- ``synsets.tsv.gz``: offset; lexicographer file (``i`` added for an instance); hypernyms; lemmas, joined by ``|``.
- ``glosses-0.tsv.gz``, ``glosses-1.tsv.gz``: offset; definition and examples.
- ``words.tsv.gz``: part of speech (v, a, r); lemma; tagged count; for adjectives the nouns that they pertain to, or
  ``colour``.
- ``exceptions.tsv``: part of speech; irregular form; base forms.
- ``plurals.tsv``: nouns with an irregular plural or with none, by the dictionary of ``lemminflect`` (SPECIALIST
  Lexicon).

The formats of the sources are those of WordNet's manual pages wndb(5WN), cntlist(5WN) and morphy(7WN).
"""

import argparse
import gzip
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from kbe_graph.text import fold

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
SENSE_KEY_PARTS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
HYPERNYM, INSTANCE, PERTAINS, SIMILAR = "@", "@i", "\\", "&"
COLOUR_HEADS = {"chromatic", "achromatic"}
OUT = Path(__file__).parent.parent / "kbe_graph" / "data" / "wordnet"


class Pointer(NamedTuple):
    """A pointer of a synset: its symbol, the part of speech and offset it leads to."""

    symbol: str
    part: str
    offset: str


class Record(NamedTuple):
    """A line of a data file."""

    offset: str
    lexicographer_file: int
    lemmas: tuple[str, ...]
    pointers: tuple[Pointer, ...]
    gloss: str


def lines(file: Path) -> Iterator[str]:
    """Yield the lines of a WordNet file without its licence, which is indented."""
    with file.open(encoding="utf-8") as stream:
        yield from (line.rstrip("\n") for line in stream if not line.startswith("  "))


def record(line: str) -> Record:
    """Read a line of a data file; the marker of an adjective's position is dropped."""
    head, _, gloss = line.partition(" | ")
    fields = head.split()
    size = int(fields[3], 16)
    words = tuple(word.replace("_", " ").split("(")[0] for word in fields[4 : 4 + 2 * size : 2])
    start = 5 + 2 * size
    stop = start + 4 * int(fields[start - 1])
    pointers = tuple(
        Pointer(fields[at], fields[at + 2].replace("s", "a"), fields[at + 1]) for at in range(start, stop, 4)
    )
    return Record(fields[0], int(fields[1]), words, pointers, gloss.strip())


def records(folder: Path, part: str) -> Iterator[Record]:
    """Yield the synsets of a part of speech."""
    return (record(line) for line in lines(folder / f"data.{PARTS[part]}"))


def senses(folder: Path, part: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each lemma of an index file with the offsets of its synsets, most frequent sense first."""
    for line in lines(folder / f"index.{PARTS[part]}"):
        fields = line.split()
        yield fields[0], tuple(fields[-int(fields[2]) :])


def tagged(folder: Path) -> dict[tuple[str, str, int], int]:
    """Return how often each sense (part of speech, lemma, sense number from 1) was tagged in WordNet's corpora."""
    counts = {}
    for line in lines(folder / "cntlist.rev"):
        key, number, count = line.split()
        lemma, _, rest = key.partition("%")
        counts[SENSE_KEY_PARTS[rest[0]], lemma, int(number)] = int(count)
    return counts


def nouns(folder: Path, counts: dict[tuple[str, str, int], int]) -> Iterator[str]:
    """Yield the lines of ``nouns.tsv``; lemmas that fold to one name share a line, ordered by count."""
    merged: dict[str, dict[str, int]] = defaultdict(dict)
    articles: dict[str, dict[str, int]] = {}
    for lemma, offsets in senses(folder, "n"):
        found = {offset: counts.get(("n", lemma, number), 0) for number, offset in enumerate(offsets, 1)}
        name = fold(lemma)
        if lemma.startswith(("a_", "an_", "the_")) and not name.startswith(lemma[0]):
            articles[name] = found
            continue
        for offset, count in found.items():
            merged[name][offset] = merged[name].get(offset, 0) + count
    for name, found in articles.items():
        merged.setdefault(name, found)
    for name in sorted(merged):
        ranked = sorted(merged[name].items(), key=lambda item: -item[1])
        yield f"{name}\t{' '.join(f'{offset}:{count}' if count else offset for offset, count in ranked)}"


def synsets(folder: Path) -> Iterator[str]:
    """Yield the lines of ``synsets.tsv``."""
    for synset in records(folder, "n"):
        parents = [pointer.offset for pointer in synset.pointers if pointer.symbol in {HYPERNYM, INSTANCE}]
        instance = "i" if any(pointer.symbol == INSTANCE for pointer in synset.pointers) else ""
        yield "\t".join(
            (synset.offset, f"{synset.lexicographer_file}{instance}", " ".join(parents), "|".join(synset.lemmas))
        )


def glosses(folder: Path) -> Iterator[str]:
    """Yield the lines of ``glosses.tsv``."""
    return (f"{synset.offset}\t{synset.gloss}" for synset in records(folder, "n"))


def adjective_notes(folder: Path) -> dict[str, str]:
    """Return for adjectives the noun synsets that they pertain to, or ``colour``, by lemma."""
    adjectives = {synset.offset: synset for synset in records(folder, "a")}
    notes: dict[str, str] = {}
    for synset in adjectives.values():
        near = {pointer.offset for pointer in synset.pointers if pointer.symbol == SIMILAR}
        colour = any(COLOUR_HEADS & {lemma.casefold() for lemma in adjectives[offset].lemmas} for offset in near)
        nouns = sorted({pointer.offset for pointer in synset.pointers if pointer[:2] == (PERTAINS, "n")})
        for lemma in synset.lemmas if colour or nouns else ():
            notes.setdefault(fold(lemma), "colour" if colour else " ".join(nouns))
    return notes


def words(folder: Path, counts: dict[tuple[str, str, int], int]) -> Iterator[str]:
    """Yield the lines of ``words.tsv``."""
    notes = adjective_notes(folder)
    for part in "var":
        totals: dict[str, int] = defaultdict(int)
        for lemma, offsets in senses(folder, part):
            totals[fold(lemma)] += sum(counts.get((part, lemma, number + 1), 0) for number in range(len(offsets)))
        for name in sorted(totals):
            yield f"{part}\t{name}\t{totals[name]}\t{notes.get(name, '') if part == 'a' else ''}".rstrip("\t")


def exceptions(folder: Path) -> Iterator[str]:
    """Yield the lines of ``exceptions.tsv``."""
    for part, name in PARTS.items():
        for line in lines(folder / f"{name}.exc"):
            form, *bases = (fold(word) for word in line.split())
            yield f"{part}\t{form}\t{' '.join(base.replace(' ', '_') for base in bases)}"


def regular(noun: str) -> str:
    """Return the plural that English spelling gives a noun."""
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"


def plurals(folder: Path) -> Iterator[str]:
    """Yield the one-word nouns with their plural where it is not the regular one, and empty where they have none.

    A noun whose only plural is itself has none (soccer, scissors), unless it names an animal, a body part, a place, a
    person.
    """
    from lemminflect import getAllInflections

    countable = {5, 8, 15, 18}
    files = {synset.offset: synset.lexicographer_file for synset in records(folder, "n")}
    for lemma, offsets in senses(folder, "n"):
        forms = getAllInflections(lemma, upos="NOUN").get("NNS", ()) if lemma.isalpha() else ()
        own = next((form for form in forms if form != lemma), lemma)
        if not forms or regular(lemma) in forms:
            continue
        if own != lemma or files[offsets[0]] not in countable:
            yield f"{lemma}\t{own if own != lemma else ''}"


def write(name: str, rows: Iterable[str]) -> None:
    """Write lines to a file of the package's folder, packed where its name ends so."""
    data = "".join(f"{row}\n" for row in rows).encode()
    OUT.joinpath(name).write_bytes(gzip.compress(data, 9, mtime=0) if name.endswith(".gz") else data)
    print(f"{name}\t{OUT.joinpath(name).stat().st_size:,} bytes")


def main() -> None:
    """Read the folder given and write the package's files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "folder", type=Path, help="WordNet 3.0's files: data.noun, index.noun, cntlist.rev, noun.exc ..."
    )
    folder = parser.parse_args().folder
    OUT.mkdir(parents=True, exist_ok=True)
    counts = tagged(folder)
    definitions = list(glosses(folder))
    write("nouns.tsv.gz", nouns(folder, counts))
    write("synsets.tsv.gz", synsets(folder))
    write("glosses-0.tsv.gz", definitions[: len(definitions) // 2])
    write("glosses-1.tsv.gz", definitions[len(definitions) // 2 :])
    write("words.tsv.gz", words(folder, counts))
    write("exceptions.tsv", exceptions(folder))
    write("plurals.tsv", plurals(folder))


if __name__ == "__main__":
    main()
