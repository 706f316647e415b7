"""A relation is asked only of what can have it, and only where its object depends on what is seen, and is no guess."""

from collections.abc import Mapping
from functools import cache

from kbe_graph.checks.check import Reads
from kbe_graph.checks.row import FACT, Row
from kbe_graph.english.concept import synset_of
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.facts.walk import Walk
from kbe_graph.files.resources import data
from kbe_graph.files.tsv import rows
from kbe_graph.text import fold
from kbe_graph.types import KEEP, Candidate, Decision, Stage

# What most people would say first when asked for one of these leads to what follows from it unseen; so does the first
# thing of its sort (the rose, of flowers), where a relation is asked of any thing by its sort.
_PLACES = ("continent", "country", "state", "city")


class Idle:
    """Refuses relations that tell nothing of what is seen, ends of another kind, and what everybody says first."""

    name = "idle relation"
    stage: Stage = "fact"
    reads: Reads = "fact"
    rule = (
        "the relation must be one that its subject can have, and its object depend on what is seen "
        "and not be what most people would say first, nor be told of the place that they would"
    )
    columns = FACT
    refused = Row("What room is this?", "kitchen", "kitchen", "name on a ship", "galley")
    passed = Row("What flag is that?", "japan", "japan", "capital", "Tokyo")

    def __init__(self, walk: Walk, *, by_kind: bool) -> None:
        self._relations = walk.pack.relations
        self._by_kind = by_kind

    def decide(self, candidate: Candidate) -> Decision:
        """Look the relation up; one that the table does not know may be asked."""
        fact = candidate.fact
        relation = self._relations.get(fact.relation)
        if relation is None:
            return KEEP
        if not relation.seen:
            return Decision(keep=False, reason=self.name, detail=f"{fact.relation!r} is not worth asking")
        subjects = ((asked, fact.subject_id, fact.subject) for asked in (*_PLACES, relation.asked_of))
        for asked, id_, name in ((fact.relation, fact.object_id, fact.object), *subjects):
            if _is_first_guess(asked, id_, name, candidate.sample.question if candidate.from_raw else ""):
                return Decision(keep=False, reason=self.name, detail=f"everybody guesses {name!r}")
        ends = ((fact.subject_id, fact.subject, relation.subject), (fact.object_id, fact.object, relation.object))
        wrong = [f"{name!r} is no {kinds[0]}" for id_, name, kinds in ends if self._by_kind and _is_other(id_, kinds)]
        return Decision(keep=False, reason=self.name, detail=wrong[0]) if wrong else KEEP


def _is_first_guess(relation: str, id_: str, name: str, question: str) -> bool:
    """Return whether most people would say a thing first, whatever is asked of, or of what the question names.

    What a re-selected question asks for is balanced among what pictures show: nothing is said first of its kind.
    """
    guesses, nothing = first_guesses(), frozenset[str]()
    named = guesses.get((relation, fold(name)), nothing) | guesses.get((relation, id_), nothing)
    return bool(named) and not named.isdisjoint({"", *fold(question).split()})


@cache
def first_guesses() -> Mapping[tuple[str, str], frozenset[str]]:
    """Return of what most people would say first, by relation and thing, the word that the question must name.

    That is the empty string for whatever is asked of. A thing stands there by its name, or by its id alone: there are
    many Londons, of which the one in England is said first.
    """
    table: dict[tuple[str, str], frozenset[str]] = {}
    columns = ("relation", "object_id", "object", "named")
    for _, (relation, thing, name, named) in rows(data("first_guesses.tsv"), columns):
        key = relation, thing or fold(name)
        table[key] = table.get(key, frozenset()) | {named}
    return table


def _is_other(concept: str, kinds: tuple[str, ...]) -> bool:
    """Return whether a concept is of none of the kinds; one that WordNet does not know may be of any."""
    return bool(kinds) and synset_of(concept) is not None and not is_of_kind(concept, *kinds)
