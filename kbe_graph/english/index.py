"""The files of WordNet in the package (``scripts/build_wordnet.py``), each read when it is first asked for."""

import gzip
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from kbe_graph.files.resources import data


class Index:
    """The rows of the files by their first column."""

    @cached_property
    def nouns(self) -> Mapping[str, str]:
        """The senses of each noun lemma: offsets of synsets, with how often each was tagged, most frequent first."""
        return dict(_rows("nouns.tsv.gz"))

    @cached_property
    def sorted_nouns(self) -> list[str]:
        """The noun lemmas in the order of their letters."""
        return sorted(self.nouns)

    @cached_property
    def compounds(self) -> Mapping[str, Sequence[str]]:
        """The noun lemmas of several words, by the last of them."""
        compounds: dict[str, list[str]] = defaultdict(list)
        for noun in self.nouns:
            before, _, last = noun.rpartition(" ")
            if before:
                compounds[last].append(noun)
        return compounds

    @cached_property
    def synsets(self) -> Mapping[str, str]:
        """Lexicographer file, hypernyms and lemmas of each noun synset, by its offset."""
        return dict(_rows("synsets.tsv.gz"))

    @cached_property
    def glosses(self) -> Mapping[str, str]:
        """Definition and examples of each noun synset, by its offset."""
        return dict((*_rows("glosses-0.tsv.gz"), *_rows("glosses-1.tsv.gz")))

    @cached_property
    def words(self) -> Mapping[str, Mapping[str, tuple[int, str]]]:
        """How often each verb, adjective and adverb was tagged, with the note of an adjective, by part of speech."""
        words: dict[str, dict[str, tuple[int, str]]] = {"v": {}, "a": {}, "r": {}}
        for part, rest in _rows("words.tsv.gz"):
            name, count, *note = rest.split("\t")
            words[part][name] = int(count), note[0] if note else ""
        return words

    @cached_property
    def exceptions(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """Irregular forms with their bases, by part of speech."""
        exceptions: dict[str, dict[str, tuple[str, ...]]] = {part: {} for part in "nvar"}
        for part, rest in _rows("exceptions.tsv"):
            form, bases = rest.split("\t")
            exceptions[part][form] = tuple(base.replace("_", " ") for base in bases.split())
        return exceptions


def _rows(name: str) -> Iterator[tuple[str, str]]:
    raw = data("wordnet").joinpath(name).read_bytes()
    text = (gzip.decompress(raw) if name.endswith(".gz") else raw).decode()
    return (tuple(line.split("\t", 1)) for line in text.splitlines())  # type: ignore[misc]
