"""Two fact packs as one."""

from kbe_graph.knowledge.pack import Pack


def merged(first: Pack, second: Pack) -> Pack:
    """Return a pack of all facts of both; where both know a relation, its wording and marks are those of the first."""
    facts = {(fact.subject_id, fact.relation, fact.object_id): fact for fact in (*second.facts, *first.facts)}
    ordered = dict.fromkeys((fact.subject_id, fact.relation, fact.object_id) for fact in (*first.facts, *second.facts))
    names = {
        concept: tuple(dict.fromkeys((*first.aliases(concept), *second.aliases(concept))))
        for concept in {**first.names, **second.names}
    }
    return Pack(tuple(facts[key] for key in ordered), {**second.relations, **first.relations}, names)
