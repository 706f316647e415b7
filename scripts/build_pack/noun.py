"""WordNet 3.0 nouns with their pointers, and verbs for their definitions: what the build needs and a run does not.

They are read from WordNet's own files (wndb(5WN)).
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

VERSION = "3.0"
DATE = "2006-12"
LICENCE = "WordNet 3.0 licence"


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun synset: its lemmas as written, its gloss, and the synsets each pointer symbol leads to."""

    id: str
    lemmas: tuple[str, ...]
    lexicographer_file: int
    gloss: str
    pointers: dict[str, tuple[str, ...]] = field(hash=False)

    @property
    def label(self) -> str:
        """The first lemma."""
        return self.lemmas[0]

    def to(self, *symbols: str) -> tuple[str, ...]:
        """Return the synsets that any of the pointer symbols leads to."""
        return tuple(synset for symbol in symbols for synset in self.pointers.get(symbol, ()))


@dataclass(frozen=True, slots=True)
class Nouns:
    """All noun synsets by id, and the synsets of each lemma, the most frequent sense first."""

    by_id: dict[str, Noun]
    senses: dict[str, tuple[str, ...]]

    def sense(self, key: str) -> Noun:
        """Return the synset of ``lemma#2`` (``lemma`` is its first sense; ``bark.v#4`` a verb's); raises KeyError."""
        lemma, _, number = key.partition("#")
        return self.by_id[self.senses[lemma.strip().lower().replace(" ", "_")][int(number or 1) - 1]]

    def above(self, synset: str) -> tuple[str, ...]:
        """Return all hypernyms, nearest first, instance hypernyms included."""
        hypernyms: dict[str, None] = {}
        queue = [synset]
        for lower in queue:
            for hypernym in self.by_id[lower].to("@", "@i"):
                if hypernym not in hypernyms:
                    hypernyms[hypernym] = None
                    queue.append(hypernym)
        return tuple(hypernyms)


def synset_id(offset: str, part: str = "n") -> str:
    """Return the concept id of a synset's offset."""
    return f"wn30:{offset}-{part}"


def read(folder: Path) -> Nouns:
    """Return the nouns of a folder of WordNet's files, and its verbs under ``bark.v``."""
    by_id = {noun.id: noun for part in ("noun", "verb") for noun in _data(folder / f"data.{part}", part[0])}
    senses = {}
    for part, ending in (("noun", ""), ("verb", ".v")):
        for line in _lines(folder / f"index.{part}"):
            fields = line.split()
            offsets = fields[-int(fields[2]) :]
            senses[fields[0] + ending] = tuple(synset_id(offset, part[0]) for offset in offsets)
    return Nouns(by_id, senses)


def _lines(file: Path) -> Iterator[str]:
    with file.open(encoding="utf-8") as stream:
        yield from (line for line in stream if not line.startswith("  "))


def _data(file: Path, letter: str) -> Iterator[Noun]:
    for line in _lines(file):
        head, gloss = line.split(" | ", 1)
        fields = head.split()
        lemmas = int(fields[3], 16)
        lemma_fields, rest = fields[4 : 4 + 2 * lemmas : 2], fields[5 + 2 * lemmas :]
        pointers: dict[str, list[str]] = defaultdict(list)
        for symbol, offset, part, _ in zip(*[iter(rest)] * 4, strict=False):
            if part == letter == "n":
                pointers[symbol].append(synset_id(offset))
        yield Noun(
            synset_id(fields[0], letter),
            tuple(lemma.replace("_", " ") for lemma in lemma_fields),
            int(fields[1]),
            gloss.strip(),
            {symbol: tuple(ids) for symbol, ids in pointers.items()},
        )
