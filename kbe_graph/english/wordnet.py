"""WordNet 3.0 (Miller 1995; Fellbaum 1998): nouns, their senses and taxonomy, and the frequency of each sense.

The data comes from the package's index (``scripts/build_wordnet.py``) and is loaded on first use.
"""

import gzip
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Literal, NamedTuple

from kbe_graph.errors import ResourceError
from kbe_graph.files.resources import data
from kbe_graph.text import fold


def _rows(name: str) -> Iterator[tuple[str, str]]:
    raw = data("wordnet").joinpath(name).read_bytes()
    text = (gzip.decompress(raw) if name.endswith(".gz") else raw).decode()
    return (tuple(line.split("\t", 1)) for line in text.splitlines())  # type: ignore[misc]


Part = Literal["n", "v", "a", "r"]

LEXNAMES = (
    *("adj.all", "adj.pert", "adv.all", "noun.Tops", "noun.act", "noun.animal", "noun.artifact", "noun.attribute"),
    *("noun.body", "noun.cognition", "noun.communication", "noun.event", "noun.feeling", "noun.food", "noun.group"),
    *("noun.location", "noun.motive", "noun.object", "noun.person", "noun.phenomenon", "noun.plant", "noun.possession"),
    *("noun.process", "noun.quantity", "noun.relation", "noun.shape", "noun.state", "noun.substance", "noun.time"),
)

# The endings that morphy(7WN) removes, with their replacements, by part of speech; -s covers es > e.
ENDINGS: Mapping[str, Sequence[Sequence[str]]] = {
    part: [ending.split(":") for ending in endings.split()]
    for part, endings in (
        ("n", "ses:s xes:x zes:z ches:ch shes:sh ies:y men:man s:"),
        ("v", "s: ies:y es: ed:e ed: ing:e ing:"),
        ("a", "er: est: er:e est:e"),
        ("r", ""),
    )
}
_KEPT = 1 << 15  # synsets, of 82,115; a run over the packaged facts uses about 17,000
_LINKS = (" of ", " with ", " in ", " on ", " for ", " from ", " at ", " and ")


@dataclass(frozen=True, slots=True)
class Synset:
    """One sense shared by ``lemmas`` (as written in WordNet), with an ``id`` such as ``wn30:02439033-n``.

    ``hypernyms`` are the ids one level up, including instance hypernyms; ``instance`` marks single things (a city, a
    person).
    """

    id: str
    lemmas: tuple[str, ...]
    hypernyms: tuple[str, ...]
    lexname: str
    instance: bool = False

    @property
    def gloss(self) -> str:
        """The definition and examples; loaded on first use."""
        return wordnet().gloss(self.id)


class Lookup(NamedTuple):
    """The lemma and senses found for a name; ``head`` means that only the head word was known."""

    lemma: str
    synsets: tuple[Synset, ...]
    head: bool


def _offset(synset_id: str) -> str:
    return synset_id[5:13]


def _id(offset: str) -> str:
    return f"wn30:{offset}-n"


class WordNet:
    """The packaged WordNet; use the shared instance from ``wordnet()``."""

    @cached_property
    def _nouns(self) -> Mapping[str, str]:
        """The senses of each noun lemma: synset offsets with their tag counts, most frequent first."""
        return dict(_rows("nouns.tsv.gz"))

    @cached_property
    def _compounds(self) -> Mapping[str, Sequence[str]]:
        """The noun lemmas of several words, by their last word."""
        compounds: dict[str, list[str]] = defaultdict(list)
        for noun in self._nouns:
            before, _, last = noun.rpartition(" ")
            if before:
                compounds[last].append(noun)
        return compounds

    @cached_property
    def _synsets(self) -> Mapping[str, str]:
        """Lexicographer file, hypernyms and lemmas of each noun synset, by offset."""
        return dict(_rows("synsets.tsv.gz"))

    @cached_property
    def _glosses(self) -> Mapping[str, str]:
        """Definition and examples of each noun synset, by offset."""
        return dict((*_rows("glosses-0.tsv.gz"), *_rows("glosses-1.tsv.gz")))

    @cached_property
    def _words(self) -> Mapping[str, Mapping[str, tuple[int, str]]]:
        """The tag count of each verb, adjective and adverb, with an adjective's note, by part of speech."""
        words: dict[str, dict[str, tuple[int, str]]] = {"v": {}, "a": {}, "r": {}}
        for part, rest in _rows("words.tsv.gz"):
            name, count, *note = rest.split("\t")
            words[part][name] = int(count), note[0] if note else ""
        return words

    @cached_property
    def exceptions(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """Irregular forms with their base forms, by part of speech."""
        exceptions: dict[str, dict[str, tuple[str, ...]]] = {part: {} for part in "nvar"}
        for part, rest in _rows("exceptions.tsv"):
            form, bases = rest.split("\t")
            exceptions[part][form] = tuple(base.replace("_", " ") for base in bases.split())
        return exceptions

    def knows(self, lemma: str, pos: Part = "n") -> bool:
        """Return True if a folded name is a lemma of the part of speech."""
        return lemma in (self._nouns if pos == "n" else self._words[pos])

    def starting(self, beginning: str) -> Iterator[str]:
        """Iterate over the folded noun lemmas with a prefix."""
        return (noun for noun in self._nouns if noun.startswith(beginning))

    def compounds(self, head: str) -> Iterator[str]:
        """Iterate over the folded noun lemmas of several words that end with a name (gull: herring gull)."""
        return (noun for noun in self._compounds.get(head.rpartition(" ")[2], ()) if noun.endswith(f" {head}"))

    @lru_cache(_KEPT)  # noqa: B019
    def senses(self, lemma: str) -> tuple[tuple[str, int], ...]:
        """List the noun synset ids of a lemma with their tag counts, most frequent first."""
        pairs = (item.partition(":") for item in self._nouns.get(fold(lemma), "").split())
        return tuple((_id(offset), int(count or 0)) for offset, _, count in pairs)

    @lru_cache(_KEPT)  # noqa: B019
    def synsets(self, lemma: str) -> tuple[Synset, ...]:
        """List the noun senses of a lemma (not of inflected forms), most frequent first."""
        return tuple(self.synset(synset_id) for synset_id, _ in self.senses(lemma))

    @lru_cache(_KEPT)  # noqa: B019 - the only WordNet lives as long as the program
    def synset(self, synset_id: str) -> Synset:
        """Look up a synset by id. Raises ResourceError for an unknown id."""
        row = self._synsets.get(_offset(synset_id))
        if row is None or synset_id != _id(_offset(synset_id)):
            raise ResourceError(f"no WordNet 3.0 noun {synset_id!r}; ids look like 'wn30:02439033-n'")
        lexname, parents, lemmas = row.split("\t")
        return Synset(
            synset_id,
            tuple(lemmas.split("|")),
            tuple(_id(parent) for parent in parents.split()),
            LEXNAMES[int(lexname.rstrip("i"))],
            lexname.endswith("i"),
        )

    def gloss(self, synset_id: str) -> str:
        """Get the definition and examples of a synset."""
        return self._glosses[_offset(self.synset(synset_id).id)]

    @lru_cache(_KEPT)  # noqa: B019
    def hypernyms(self, synset_id: str) -> tuple[str, ...]:
        """List all ids above a synset, nearest first, without the synset itself."""
        ids = dict.fromkeys(self.synset(synset_id).hypernyms)
        for parent in (queue := list(ids)):
            new = [above for above in self.synset(parent).hypernyms if above not in ids]
            ids.update(dict.fromkeys(new))
            queue.extend(new)
        return tuple(ids)

    def is_a(self, synset_id: str, ancestor_id: str) -> bool:
        """Return True if a synset equals the other one or lies below it."""
        return synset_id == ancestor_id or ancestor_id in self.hypernyms(synset_id)

    @lru_cache(_KEPT)  # noqa: B019
    def counts(self, lemma: str) -> Mapping[str, int]:
        """Get WordNet's tag counts of a lemma by part of speech (n, v, a, r); unknown parts of speech are missing."""
        name = fold(lemma)
        counts = {part: words[name][0] for part, words in self._words.items() if name in words}
        return {"n": self._total(name), **counts} if name in self._nouns else counts

    def pertains(self, adjective: str) -> tuple[str, ...]:
        """List the noun synset ids that an adjective is derived from (italian: Italy)."""
        _, note = self._words["a"].get(fold(adjective), (0, ""))
        return tuple(_id(offset) for offset in note.split()) if note != "colour" else ()

    def is_colour(self, word: str) -> bool:
        """Return True if an adjective names a chromatic or achromatic colour."""
        return self._words["a"].get(fold(word), (0, ""))[1] == "colour"

    def morphy(self, word: str, pos: Part = "n") -> str | None:
        """Find the base form of a word, or of a compound by its last word; None if there is none.

        It tries the word itself, an exception's base, then the endings of morphy(7WN), in that order.
        """
        name = fold(word)
        before, _, last = name.rpartition(" ")
        if self.knows(name, pos):
            return name
        bases = (f"{before} {base}".strip() for base in self._bases(last, pos))
        return next((base for base in bases if self.knows(base, pos)), None)

    def _bases(self, word: str, pos: Part) -> Iterator[str]:
        yield from self.exceptions[pos].get(word, ())
        if pos == "n" and (word.endswith("ss") or len(word) < 4):
            return
        yield from (word.removesuffix(old) + new for old, new in ENDINGS[pos] if word.endswith(old) and word != old)

    @lru_cache(_KEPT)  # noqa: B019
    def base(self, noun: str) -> str | None:
        """Find the singular of a plural noun, even if the plural has its own entry (men, wings); None if there is none.

        If the endings allow several, it takes the most frequent one, then the longest (cookie, not cooky; smoothie).
        """
        name = fold(noun)
        before, _, last = name.rpartition(" ")
        bases = (f"{before} {base}".strip() for base in self._bases(last, "n"))
        singulars = [base for base in reversed((*bases,)) if self.knows(base) and base != name]
        return max(
            singulars, key=lambda base: (base in self.exceptions["n"].get(name, ()), self._total(base)), default=None
        )

    def _total(self, lemma: str) -> int:
        return sum(count for _, count in self.senses(lemma))

    @lru_cache(_KEPT)  # noqa: B019
    def lookup(self, name: str) -> Lookup:
        """Look up the senses of a name, of its base form, or else of its head word.

        A plural with its own entry keeps it unless it is much rarer than the singular (glasses; but men: man). The head
        of "glass of water" is glass, and that of "blended beverages" is beverage. Unknown names have no senses.
        """
        folded = fold(name)
        lemma = self._lemma(folded)
        if lemma is not None:
            return Lookup(lemma, self._both(lemma, folded), head=False)
        cut = min((at for link in _LINKS if (at := folded.find(link)) > 0), default=len(folded))
        words = folded[:cut].split()
        tails = (" ".join(words[start:]) for start in range(len(words)))
        lemma = next((lemma for tail in tails if tail != folded and (lemma := self._lemma(tail))), "")
        return Lookup(lemma, self._both(lemma, folded[:cut]), head=bool(lemma))

    def _both(self, lemma: str, name: str) -> tuple[Synset, ...]:
        base = self.base(lemma) if name.endswith(lemma) else None
        return tuple(dict.fromkeys((*self.synsets(lemma), *(self.synsets(base) if base else ()))))

    def _lemma(self, name: str) -> str | None:
        base = self.base(name)
        if base is None or not self.knows(name):
            return base or (name if self.knows(name) else None)
        own, other = self._total(name), self._total(base)
        body = self.synsets(base)[0].lexname == "noun.body"
        return name if own * 10 >= other and not body else base


@cache
def wordnet() -> WordNet:
    """Get the shared WordNet; its data is loaded on first use."""
    return WordNet()
