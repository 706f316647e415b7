"""The explored part of a key path, and checks against cycles, shortcuts and detours in it (KBE, section 3.2)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain as joined
from typing import NamedTuple

from kbe_graph.checks.check import CHAIN, FactCheck, FilterSettings, Row
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import is_of_kind, kinds_of, synset_of
from kbe_graph.facts.walk import Walk
from kbe_graph.store import CycleRow
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, KEEP, Candidate, Decision, Entity, Fact, Question

_LONGEST = 3  # words in a noun that is looked for in a question
_KEPT = 1 << 12  # texts; a run keeps producing new ones, and looks at each a few times in a row


class Chain(NamedTuple):
    """The concepts from the first answer to the current one, their relations, and the entities seen before them.

    An unknown concept is the empty string. ``seen`` holds the senses of the entities on the key path before the first
    answer, nearest first.
    """

    concepts: tuple[str, ...]
    relations: tuple[str, ...]
    seen: tuple[str, ...]


def chain(question: Question) -> Chain:
    """Build the chain of a question: one relation per hop (KBE: each hop adds one triplet to the key)."""
    explored = question.explored
    seen = (triplet.subject for triplet in reversed(question.root) if triplet.subject != IMAGE)
    return Chain(
        (*(triplet.subject.concept for triplet in explored), question.concept),
        tuple(triplet.relation for triplet in explored),
        tuple(map(concept_of, seen)),
    )


def chain_with_fact(candidate: Candidate) -> Chain:
    """Extend the chain of the candidate's question with its fact."""
    concepts, relations, seen = chain(candidate.question)
    fact = candidate.fact
    return Chain((*concepts[:-1], fact.subject_id, fact.object_id), (*relations, fact.relation), seen)


def given_names(candidate: Candidate) -> tuple[str, ...]:
    """List the names of the explored entities, from the first answer to the current one."""
    question = candidate.question
    return (*(triplet.subject.label for triplet in question.explored), question.end.label)


@lru_cache(_KEPT)
def first_sense(name: str) -> str:
    """Look up the id of a name's most frequent sense; empty if WordNet does not list the name."""
    synsets = wordnet().lookup(name).synsets
    return synsets[0].id if synsets else ""


def concept_of(entity: Entity) -> str:
    """Get the concept of an entity, or else the most frequent sense of its name; empty if there is neither."""
    return entity.concept or first_sense(entity.name)


@lru_cache(_KEPT)
def nouns_in(text: str) -> tuple[tuple[str, ...], ...]:
    """Find the nouns of a text, each as its sense ids, most frequent sense first; longer nouns come first."""
    words = fold(text.replace("'s ", " ")).split()
    phrases = (
        " ".join(words[at : at + size]) for size in range(_LONGEST, 0, -1) for at in range(len(words) - size + 1)
    )
    # "shoes" has a separate sense, and is also the plural of "shoe".
    forms = joined(phrases, (word.removesuffix("s") for word in words if word.endswith("s")))
    lemmas = dict.fromkeys(lemma for form in forms if (lemma := _noun(form)))
    return tuple(tuple(synset.id for synset in wordnet().synsets(lemma)) for lemma in lemmas)


@lru_cache(1 << 14)
def _noun(form: str) -> str | None:
    return wordnet().morphy(form)


def kinds_in(text: str, concept: str) -> Iterator[str]:
    """Yield the hypernyms of a WordNet concept, or the concept itself, that a text names.

    Example: dog in "what breed of dog", for a poodle.
    """
    if kinds := kinds_of(concept):
        senses = set(joined.from_iterable(nouns_in(text)))
        yield from (kind for kind in kinds if kind in senses)


class Cycle(FactCheck):
    """Check that the object is no subject of the key path, by id or by any name, and does not lead back to one.

    Kinds are compared only if the object's concept was chosen by evidence (``by_kind``).

    It runs in two steps: first on each candidate, by names and kinds; then on a batch of candidates, where the graph
    engine looks for a way back over the key and the sample's graph (``cypher/cycles.cypher``).
    """

    name = "cycle"
    rule = (
        "the object must not be a subject of the key path under any name, nor a kind of one or the reverse, "
        "nor lead back to one"
    )
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

    def _fault(self, candidate: Candidate) -> str | None:
        fact, question = candidate.fact, candidate.question
        nodes = [*(triplet.subject for triplet in question.key), question.end]
        ids = {fact.subject_id, question.concept, *(node.concept for node in nodes)} - {""}
        names = {fold(name) for name in (*(node.name for node in nodes), *map(self._walk.pack.label, ids))}
        same = names & {fold(fact.object), *map(fold, fact.aliases), *self._walk.names(fact.object_id)} - {""}
        if same or fact.object_id in ids:
            return f"{fact.object!r} is in the chain"
        kin = self._kin(fact.object_id, ids) if self._by_kind else ""
        return f"{fact.object!r} is a kind of {kin!r}, or the reverse" if kin else None

    def decide_in_graph(
        self, candidates: Sequence[Candidate], cycles: Callable[[Sequence[CycleRow]], Sequence[str]]
    ) -> list[Decision]:
        """Decide on several candidates with the graph; ``cycles`` is ``Store.cycles``."""
        rows = [CycleRow(each.question.id, each.sample.id, fold(each.fact.object)) for each in candidates]
        return [
            Decision(keep=False, reason=self.name, detail=f"{each.fact.object!r} leads back to {back!r}")
            if back
            else KEEP
            for each, back in zip(candidates, cycles(rows), strict=True)
        ]

    def _kin(self, concept: str, ids: Iterable[str]) -> str:
        kin = (other for other in sorted(ids) if other in kinds_of(concept) or concept in kinds_of(other))
        return next(map(self._walk.label, kin), "")


class Shortcut(FactCheck):
    """Check that no earlier entity of the chain reaches the object in fewer hops than the chain itself.

    All facts count. Entities seen on the way to the first answer count as earlier entities.
    """

    name = "shortcut"
    rule = "nothing earlier in the chain, seen or explored, may lead to the object in fewer hops"
    refused = CHAIN._replace(
        question="What is the only country bordering the country on that flag?", relation="continent", object="Europe"
    )
    passed = CHAIN

    def __init__(self, walk: Walk) -> None:
        self._walk = walk

    def _fault(self, candidate: Candidate) -> str | None:
        fact = candidate.fact
        concepts, _, seen = chain_with_fact(candidate)
        earlier = (*seen, *concepts[:-2])
        along = (*(len(concepts) for _ in seen), *range(len(concepts) - 1, 1, -1))
        for concept, steps in zip(earlier, along, strict=True):
            if concept != fact.subject_id and self._leads(concept, fact, steps - 1):
                return f"{self._walk.label(concept)!r} leads to {fact.object!r} sooner"
        return None

    def _leads(self, concept: str, fact: Fact, hops: int) -> bool:
        return not self._walk.distances(concept, hops).keys().isdisjoint((fact.object_id, fold(fact.object)))


_PLACE = "noun.location"


class Detour(FactCheck):
    """Check that no relation family repeats, and that a chain from a kind of thing ends at the first named place.

    Going up a taxonomy and down again adds nothing. The rivers of a bagel's country say nothing about the bagel, and
    the image does not show them; those of a landmark's city are close to it. Families in ``shared_families`` may
    repeat.
    """

    name = "detour"
    rule = (
        "a chain must not have two relations of one family; if it starts from a kind of thing, "
        "it must end at the first named place"
    )
    refused = CHAIN._replace(
        question="What is the only country bordering the country on that flag?",
        relation="only neighbour",
        object="Ireland",
    )
    passed = CHAIN

    def __init__(self, walk: Walk, settings: FilterSettings) -> None:
        self._relations = walk.pack.relations
        self._shared = settings.shared_families

    def _fault(self, candidate: Candidate) -> str | None:
        family = self._family(candidate.fact.relation)  # empty for a relation outside the table, such as a visual one
        used = {self._family(triplet.relation) for triplet in candidate.question.key}
        if family in used - {*self._shared, ""}:
            return f"a relation of {family!r} is in the chain"
        first, end = candidate.question.root[-1].object, candidate.question.end
        if _is_kind(first) and _is_named_place(end):
            return f"{end.name!r} is not what {first.name!r} is about"
        return None

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
