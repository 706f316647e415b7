"""Chains: the explored end of a key path, and the checks of it: no cycle, no shortcut, no detour (KBE, section 3.2)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain as joined
from typing import NamedTuple

from kbe_graph.checks.check import CHAIN, FACT, FilterSettings, Reads, Row
from kbe_graph.english.kinds import is_of_kind, kinds_of, synset_of
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.facts.walk import Walk
from kbe_graph.store import CycleRow
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, KEEP, Candidate, Decision, Entity, Fact, Question, Stage

_LONGEST = 3  # words in a noun that is looked for in a question
_KEPT = 1 << 12  # texts; a run writes new ones without end, and looks at each a few times in a row


class Chain(NamedTuple):
    """The concepts from the first answer to the current one, the relations between them, and the things seen before.

    A concept that is not known is the empty string; ``seen`` are the senses of the things on the key path before the
    first answer, nearest to it first.
    """

    concepts: tuple[str, ...]
    relations: tuple[str, ...]
    seen: tuple[str, ...]


def chain(question: Question) -> Chain:
    """Return the explored end of the question's key: one relation a hop (KBE: each hop adds one triplet to the key)."""
    explored = question.explored
    seen = (triplet.subject for triplet in reversed(question.root) if triplet.subject != IMAGE)
    return Chain(
        (*(triplet.subject.concept for triplet in explored), question.concept),
        tuple(triplet.relation for triplet in explored),
        tuple(map(concept_of, seen)),
    )


def chain_with_fact(candidate: Candidate) -> Chain:
    """Return the chain with the candidate's fact at its end."""
    concepts, relations, seen = chain(candidate.question)
    fact = candidate.fact
    return Chain((*concepts[:-1], fact.subject_id, fact.object_id), (*relations, fact.relation), seen)


def given_names(candidate: Candidate) -> tuple[str, ...]:
    """Return the names of the objects along the explored end, from the first answer to the current one."""
    question = candidate.question
    return (*(triplet.subject.label for triplet in question.explored), question.end.label)


@lru_cache(_KEPT)
def first_sense(name: str) -> str:
    """Return the id of the most frequent sense of a name, empty where WordNet does not know it."""
    synsets = wordnet().lookup(name).synsets
    return synsets[0].id if synsets else ""


def concept_of(entity: Entity) -> str:
    """Return the concept of an entity, else the most frequent sense of its name, empty where there is neither."""
    return entity.concept or first_sense(entity.name)


@lru_cache(_KEPT)
def nouns_in(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the nouns of a text, each as the ids of its senses, the most frequent first; longer names come first."""
    words = fold(text.replace("'s ", " ")).split()
    phrases = (
        " ".join(words[at : at + size]) for size in range(_LONGEST, 0, -1) for at in range(len(words) - size + 1)
    )
    # Shoes have a sense of their own, and are several shoes as well.
    forms = joined(phrases, (word.removesuffix("s") for word in words if word.endswith("s")))
    lemmas = dict.fromkeys(lemma for form in forms if (lemma := _noun(form)))
    return tuple(tuple(synset.id for synset in wordnet().synsets(lemma)) for lemma in lemmas)


@lru_cache(1 << 14)
def _noun(form: str) -> str | None:
    return wordnet().morphy(form)


def kinds_in(text: str, concept: str) -> Iterator[str]:
    """Yield the kinds of a WordNet concept, or itself, that a text names: dog in "what breed of dog", for a poodle."""
    if kinds := kinds_of(concept):
        senses = set(joined.from_iterable(nouns_in(text)))
        yield from (kind for kind in kinds if kind in senses)


class Cycle:
    """Refuses an object that equals a subject of the key path, by id or by any of its names, or leads back to one.

    It takes two steps: the candidate by itself, by all its names and kinds; then, for many at once, the way back over
    the key and the sample's own graph, which the graph engine looks for (``cypher/cycles.cypher``).
    """

    name = "cycle"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = (
        "the object must not be a subject of the key path under any name, nor a kind of one or the reverse, "
        "nor lead back to one"
    )
    columns = FACT
    refused = Row(
        "Where in the world is this picture taken?",
        "Seine",
        "Seine",
        "country",
        "France",
        path="France > capital > Paris > river > Seine",
    )
    passed = CHAIN

    def __init__(self, walk: Walk, *, by_kind: bool = True) -> None:
        self._walk = walk
        self._by_kind = by_kind

    def decide(self, candidate: Candidate) -> Decision:
        """Compare with the subjects of the key and the current answer.

        Kinds are compared where evidence chose the object's concept (``by_kind``).
        """
        fact, question = candidate.fact, candidate.question
        nodes = [*(triplet.subject for triplet in question.key), question.end]
        ids = {fact.subject_id, question.concept, *(node.concept for node in nodes)} - {""}
        names = {fold(name) for name in (*(node.name for node in nodes), *map(self._walk.pack.label, ids))}
        same = names & {fold(fact.object), *map(fold, fact.aliases), *self._walk.names(fact.object_id)} - {""}
        if same or fact.object_id in ids:
            return self._refusal(f"{fact.object!r} is in the chain")
        if self._by_kind and (kin := self._kin(fact.object_id, ids)):
            return self._refusal(f"{fact.object!r} is a kind of {kin!r}, or the reverse")
        return KEEP

    def decide_in_graph(
        self, candidates: Sequence[Candidate], cycles: Callable[[Sequence[CycleRow]], Sequence[str]]
    ) -> list[Decision]:
        """Return a decision on each candidate by the graph; ``cycles`` is ``Store.cycles``."""
        rows = [CycleRow(each.question.id, each.sample.id, fold(each.fact.object)) for each in candidates]
        return [
            self._refusal(f"{each.fact.object!r} leads back to {back!r}") if back else KEEP
            for each, back in zip(candidates, cycles(rows), strict=True)
        ]

    def _refusal(self, detail: str = "") -> Decision:
        return Decision(keep=False, reason=self.name, detail=detail)

    def _kin(self, concept: str, ids: Iterable[str]) -> str:
        """Return the thing of the chain that is a kind of the object or has it as a kind: cow, beef, cattle."""
        kin = (other for other in sorted(ids) if other in kinds_of(concept) or concept in kinds_of(other))
        return next(map(self._walk.label, kin), "")


class Shortcut:
    """Refuses an object that all facts together reach from an earlier node of the chain in fewer hops than the chain.

    Things seen on the way to the first answer count as earlier too.
    """

    name = "shortcut"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = "nothing earlier in the chain, seen or explored, may lead to the object in fewer hops"
    columns = FACT
    refused = CHAIN._replace(
        question="What is the only country bordering the country on that flag?", relation="continent", object="Europe"
    )
    passed = CHAIN

    def __init__(self, walk: Walk) -> None:
        self._walk = walk

    def decide(self, candidate: Candidate) -> Decision:
        """Compare each earlier node's distance along the chain with its distance over all facts."""
        fact = candidate.fact
        concepts, _, seen = chain_with_fact(candidate)
        earlier = (*seen, *concepts[:-2])
        along = (*(len(concepts) for _ in seen), *range(len(concepts) - 1, 1, -1))
        for concept, steps in zip(earlier, along, strict=True):
            if concept != fact.subject_id and self._leads(concept, fact, steps - 1):
                label = self._walk.label(concept)
                return Decision(keep=False, reason=self.name, detail=f"{label!r} leads to {fact.object!r} sooner")
        return KEEP

    def _leads(self, concept: str, fact: Fact, hops: int) -> bool:
        return self._walk.distance(concept, (fact.object_id, fold(fact.object)), hops) is not None


_PLACE = "noun.location"


class Detour:
    """Refuses a relation whose family the chain has used, and any fact of a named place that a kind of thing led to.

    Up a taxonomy and down again says nothing new. The rivers of a bagel's country say nothing of the bagel, and the
    picture does not show them; those of a landmark's city are near. Families that the settings let repeat are free.
    """

    name = "detour"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = (
        "a chain must not have two relations of one family; if it starts from a kind of thing, "
        "it must end at the first named place"
    )
    columns = FACT
    refused = CHAIN._replace(
        question="What is the only country bordering the country on that flag?",
        relation="only neighbour",
        object="Ireland",
    )
    passed = CHAIN

    def __init__(self, walk: Walk, settings: FilterSettings) -> None:
        self._relations = walk.pack.relations
        self._shared = settings.shared_families

    def decide(self, candidate: Candidate) -> Decision:
        """Compare the fact's family with those of the key path, and its subject with the first answer."""
        family = self._family(candidate.fact.relation)  # a relation that the table lacks, as of a picture, has none
        used = {self._family(triplet.relation) for triplet in candidate.question.key}
        if family in used - {*self._shared, ""}:
            return Decision(keep=False, reason=self.name, detail=f"a relation of {family!r} is in the chain")
        first, end = candidate.question.root[-1].object, candidate.question.end
        if _is_kind(first) and _is_named_place(end):
            return Decision(keep=False, reason=self.name, detail=f"{end.name!r} is not what {first.name!r} is about")
        return KEEP

    def _family(self, relation: str) -> str:
        return self._relations[relation].family if relation in self._relations else ""


def _is_kind(entity: Entity) -> bool:
    synset = _synset(entity)
    return synset is not None and not synset.instance and synset.lexname != _PLACE


def _is_named_place(entity: Entity) -> bool:
    synset = _synset(entity)
    return synset is not None and synset.instance and (synset.lexname == _PLACE or is_of_kind(synset.id, "continent"))


def _synset(entity: Entity) -> Synset | None:
    return synset_of(entity.concept) or synset_of(first_sense(entity.name))
