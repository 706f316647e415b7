"""Fact pack: facts of named sources with relations, aliases and verdicts, read from a folder."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

from kbe_graph.english.wordnet import wordnet
from kbe_graph.errors import DatasetError
from kbe_graph.facts.relation import FILE, AskedOf, Relation, read_relations, relations
from kbe_graph.files.resources import data, names_in, rows
from kbe_graph.files.whole import replacing
from kbe_graph.text import fold
from kbe_graph.types import Fact, Question, Sample

COLUMNS = (
    *("subject_id", "subject", "relation", "object_id", "object", "source", "source_version", "source_date"),
    *("source_ref", "evidence", "licence", "review", "also"),
)
REVIEWS = ("auto", "reviewed", "rejected")
FACTS = "facts.tsv.gz"
_KEPT = 1 << 14  # concepts; most have no facts, and those of a run only a few each


@dataclass(frozen=True)
class Pack:
    """Facts by subject with their relations, and other names by concept id.

    ``facts`` holds all rows, including rejected ones, in file order. A fact's aliases are the other names of its
    object, and answers that a reviewer accepted for this fact only (``also``: a cow, where beef comes from cattle).
    ``nouns`` are the plain nouns for concepts whose source states what they are (river).
    """

    facts: tuple[Fact, ...]
    relations: Mapping[str, Relation]
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    nouns: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _usable(self) -> Mapping[str, tuple[Fact, ...]]:
        by_subject: dict[str, list[Fact]] = {}
        for fact in self.facts:
            if fact.review != "rejected" and not self.relations[fact.relation].protected:
                by_subject.setdefault(fact.subject_id, []).append(fact)
        return {subject: tuple(facts) for subject, facts in by_subject.items()}

    @property
    def subjects(self) -> Collection[str]:
        """The subject ids of usable facts, in the order of the facts."""
        return self._usable.keys()

    @cached_property
    def dated(self) -> frozenset[str]:
        """The sources that all have a date."""
        return frozenset(
            {fact.source for fact in self.facts} - {fact.source for fact in self.facts if not fact.source_date}
        )

    @property
    def sourced(self) -> "Pack":
        """The pack without the facts that no opened source confirms."""
        return replace(self, facts=tuple(fact for fact in self.facts if not fact.unsourced))

    @cached_property
    def _labels(self) -> Mapping[str, str]:
        names = {fact.object_id: fact.object for fact in reversed(self.facts)}
        return names | {fact.subject_id: fact.subject for fact in reversed(self.facts)}

    def names_of(self, sort: AskedOf) -> Mapping[str, str]:
        """Return the subjects, by folded name, that have a fact whose ``asked_of`` is ``sort`` (such as ``firm``)."""
        return self._by_sort.get(sort, {})

    @cached_property
    def _by_sort(self) -> Mapping[AskedOf, Mapping[str, str]]:
        by_sort: dict[AskedOf, dict[str, str]] = defaultdict(dict)
        for subject, facts in self._usable.items():
            for sort in {self.relations[fact.relation].asked_of for fact in facts}:
                names = (self.label(subject), *self.aliases(subject))
                by_sort[sort] |= {fold(name): subject for name in names}
        return by_sort

    def family(self, relation: str) -> str:
        """Return the family of a relation, or the relation itself if it has none or is unknown."""
        return (self.relations[relation].family if relation in self.relations else "") or relation

    def aliases(self, concept: str) -> tuple[str, ...]:
        """Return the other accepted names of a concept."""
        return self.names.get(concept, ())

    def label(self, concept: str) -> str:
        """Return the pack's name for a concept, or an empty string."""
        return self._labels.get(concept, "")

    def facts_about(self, concept: str) -> tuple[Fact, ...]:
        """Return the usable facts of a concept: its own, then those inherited from its kinds, in a stable order.

        A fact of a kind (the young of a dog) holds for the concept (the young of a collie) if the relation is inherited
        and no nearer fact belongs to the same family of relations. So a thing with a taxonomic order of its own
        inherits no taxonomic family (a cardinal is a finch only by name).
        """
        return self._facts_of(concept) if concept else ()

    @cached_property
    def _facts_of(self) -> Callable[[str], tuple[Fact, ...]]:
        return lru_cache(_KEPT)(self._with_kinds)

    def _with_kinds(self, concept: str) -> tuple[Fact, ...]:
        facts = [*self._usable.get(concept, ())]
        stated = {self.relations[fact.relation].family for fact in facts}
        for kind in _kinds(concept):
            inherited = [
                fact
                for fact in self._usable.get(kind, ())
                if self.relations[fact.relation].inherit
                and self.relations[fact.relation].family not in stated
                and fact.object_id != concept
            ]
            stated.update(self.relations[fact.relation].family for fact in inherited)
            label = self.label(concept)
            facts += [replace(fact, subject_id=concept, subject=label or fact.subject) for fact in inherited]
        return tuple(facts)

    def ask(self, subject_id: str, relation: str) -> tuple[Fact, ...]:
        """Return all usable facts of a subject under a relation; more than one means several answers."""
        return tuple(fact for fact in self.facts_about(subject_id) if fact.relation == relation)

    def reachable(self, concept: str, hops: int) -> dict[str, int]:
        """Return the concepts within ``hops`` facts of a concept, with the smallest number of facts to each."""
        distances, nearest = {concept: 0}, [concept]
        for distance in range(1, hops + 1):
            ends = (fact.object_id for near in nearest for fact in self.facts_about(near))
            nearest = [end for end in dict.fromkeys(ends) if end not in distances]
            distances |= dict.fromkeys(nearest, distance)
        del distances[concept]
        return distances


def _kinds(concept: str) -> tuple[str, ...]:
    if not (concept.startswith("wn30:") and concept.endswith("-n")):
        return ()
    return wordnet().hypernyms(concept)


def read_pack(folder: Traversable) -> Pack:
    """Read a pack from a folder with facts.tsv.gz, relations.tsv and aliases.tsv.

    Columns missing from relations.tsv are taken from the packaged table. Raises DatasetError with file, line and field
    for an invalid row.
    """
    return _read(folder, read_relations(folder / FILE, relations()))


def _read(folder: Traversable, relations: Mapping[str, Relation]) -> Pack:
    columns = ("concept", "label", "aliases")
    names = {concept: names_in(aliases) for _, (concept, _, aliases) in rows(folder / "aliases.tsv", columns)}
    return Pack(tuple(_facts(folder / FACTS, relations, names)), relations, names)


@cache
def pack() -> Pack:
    """Return the packaged fact pack, read once."""
    return _read(data("pack"), relations())


def _facts(
    file: Traversable, relations: Mapping[str, Relation], names: Mapping[str, tuple[str, ...]]
) -> Iterator[Fact]:
    seen: set[tuple[str, str, str]] = set()
    for line, row in rows(file, COLUMNS):
        key = (row[0], row[2], row[3])
        problem = _problem(row, relations, repeated=key in seen)
        if problem:
            raise DatasetError(file.name, problem, line=line)
        seen.add(key)
        values = dict(zip(COLUMNS, row, strict=True))
        also = values.pop("also")
        aliases = tuple(dict.fromkeys((*names.get(row[3], ()), *(names_in(also) if also else ()))))
        yield Fact(**values, aliases=aliases)


def _problem(row: Sequence[str], relations: Mapping[str, Relation], *, repeated: bool) -> str:
    if row[2] not in relations:
        return f"'relation' is {row[2]!r}, which relations.tsv does not list"
    if row[11] not in REVIEWS:
        return f"'review' is {row[11]!r}; it must be one of {', '.join(REVIEWS)}"
    for place in (0, 1, 3, 4, 5):
        if not row[place]:
            return f"{COLUMNS[place]!r} is empty"
    return f"the fact {row[0]!r} {row[2]!r} {row[3]!r} occurs twice; remove one" if repeated else ""


@dataclass(frozen=True, slots=True)
class PackSource:
    """A pack as a knowledge source: the facts whose subject is the concept of the current answer.

    ``single`` leaves out the facts of relations with more than one object.
    """

    pack: Pack
    single: bool = False

    async def candidates(self, sample: Sample, question: Question) -> Sequence[Fact]:  # noqa: ARG002
        """Return the usable facts of ``question.concept``; none if the answer is not linked to a concept."""
        facts = self.pack.facts_about(question.concept)
        count = Counter(fact.relation for fact in facts)
        return tuple(fact for fact in facts if not self.single or count[fact.relation] == 1)


def merge(first: Pack, second: Pack) -> Pack:
    """Merge two packs, with the facts of ``first`` before those of ``second``.

    A fact that ``first`` already states is dropped from ``second``, also if its object has a different id but shares a
    name: otherwise one answer would seem reachable in two ways. For a relation in both, the row of ``first`` applies.
    """
    names = {
        concept: tuple(dict.fromkeys((*first.aliases(concept), *second.aliases(concept))))
        for concept in {**first.names, **second.names}
    }
    stated: dict[tuple[str, str], set[str]] = defaultdict(set)
    for fact in first.facts:
        stated[fact.subject_id, fact.relation] |= _names_of_object(fact, names)
    rest = (
        fact
        for fact in second.facts
        if not stated.get((fact.subject_id, fact.relation), set()) & _names_of_object(fact, names)
    )
    return Pack((*first.facts, *rest), {**second.relations, **first.relations}, names, {**second.nouns, **first.nouns})


def _names_of_object(fact: Fact, names: Mapping[str, tuple[str, ...]]) -> set[str]:
    return {fact.object_id, *map(fold, (fact.object, *fact.aliases, *names.get(fact.object_id, ())))}


KEPT_COLUMNS = ("subject_id", "relation", "object_id", "verdict", "note", "also")
REVIEW = {"right": "reviewed", "wrong": "rejected"}


Key = tuple[str, str, str]
"""A fact by subject id, relation and object id."""


class FactVerdict(NamedTuple):
    """A reviewer's verdict on a fact (right or wrong), a note, and other correct answers separated by ``|``."""

    word: str
    note: str = ""
    also: str = ""


def read_verdicts(file: Path) -> dict[Key, FactVerdict]:
    """Read the verdicts of ``review.tsv``; facts without one are skipped.

    Raises DatasetError with line and field for a word other than right or wrong, and for contradicting verdicts.
    """
    verdicts: dict[Key, FactVerdict] = {}
    for line, (subject, relation, thing, cell, note, also) in rows(file, KEPT_COLUMNS):
        key, word = (subject, relation, thing), cell.strip().lower()
        if word not in {"right", "wrong", ""}:
            raise DatasetError(file.name, f"'verdict' is {cell!r}; write right or wrong, or leave it empty", line=line)
        if word and verdicts.get(key, FactVerdict(word)).word != word:
            raise DatasetError(file.name, f"{' '.join(key)!r} is both right and wrong; keep one of them", line=line)
        if word:
            verdicts[key] = FactVerdict(word, note, also)
    return verdicts


def kept_verdicts(file: Path) -> dict[Key, FactVerdict]:
    """Read a file of verdicts, which may not exist yet; raises DatasetError as ``read_verdicts`` does."""
    return read_verdicts(file) if file.exists() else {}


def apply_verdicts(pack: Pack, verdicts: Mapping[Key, FactVerdict]) -> Pack:
    """Mark the facts of a pack as reviewed or rejected, and add the other correct answers."""
    if not verdicts:
        return pack
    facts: list[Fact] = []
    for fact in pack.facts:
        verdict = verdicts.get((fact.subject_id, fact.relation, fact.object_id))
        aliases = tuple(dict.fromkeys((*fact.aliases, *names_in(verdict.also)))) if verdict else ()
        facts.append(replace(fact, review=REVIEW[verdict.word], aliases=aliases) if verdict else fact)
    return replace(pack, facts=tuple(facts))


def write_verdicts(file: Path, verdicts: Mapping[Key, FactVerdict]) -> None:
    """Write sorted verdicts to ``file``, usually ``review.tsv`` beside a pack."""
    lines = (KEPT_COLUMNS, *((*key, *verdicts[key]) for key in sorted(verdicts)))
    with replacing(file) as stream:
        stream.writelines("\t".join(" ".join(field.split()) for field in line) + "\n" for line in lines)


def add_verdict(file: Path, fact: Key, verdict: FactVerdict) -> None:
    """Add a verdict on a fact to ``file``; other correct answers from an earlier verdict are kept unless replaced."""
    verdicts = kept_verdicts(file)
    also = verdict.also or verdicts.get(fact, verdict).also
    write_verdicts(file, {**verdicts, fact: verdict._replace(also=also)})
