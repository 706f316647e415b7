"""Two fact packs as one."""

from collections import defaultdict
from collections.abc import Mapping

from kbe_graph.facts.pack import Pack
from kbe_graph.text import fold
from kbe_graph.types import Fact


def merge(first: Pack, second: Pack) -> Pack:
    """Return a pack of the facts of both, those of the first before those of the second.

    A fact of the second that the first states too is left out, even where its object has another id but a name in
    common: two ways to one answer would look as if the one were not needed. Where both know a relation, the first's
    wording and marks hold.
    """
    names = {
        concept: tuple(dict.fromkeys((*first.aliases(concept), *second.aliases(concept))))
        for concept in {**first.names, **second.names}
    }
    stated: dict[tuple[str, str], set[str]] = defaultdict(set)
    for fact in first.facts:
        stated[fact.subject_id, fact.relation] |= _names(fact, names)
    rest = (
        fact for fact in second.facts if not stated.get((fact.subject_id, fact.relation), set()) & _names(fact, names)
    )
    return Pack(
        (*first.facts, *rest), {**second.relations, **first.relations}, names, {**second.counts, **first.counts}
    )


def _names(fact: Fact, names: Mapping[str, tuple[str, ...]]) -> set[str]:
    return {fact.object_id, *map(fold, (fact.object, *fact.aliases, *names.get(fact.object_id, ())))}
