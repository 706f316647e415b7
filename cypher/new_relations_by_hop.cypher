// kind: query
// about: relations
// reads: every key
// Number of relations in the keys of each hop that no key of an earlier hop has, including the benchmark's own.
// parameter run = null: only keys of this run and the benchmark's own
// column hop: the hop
// column relations: how many are new
// column commonest: the new relation that most keys have
// column keys: how many keys of all hops have it
MATCH (:Entity)-[key:KEY]->(:Entity)
WHERE $run IS NULL OR key.run IN [$run, 'raw']
WITH key.relation AS relation, min(key.hop) AS hop, count(DISTINCT key.question) AS keys
ORDER BY keys DESC, relation
WITH hop, collect(relation) AS relations, max(keys) AS keys
RETURN hop, size(relations) AS relations, relations[0] AS commonest, keys
ORDER BY hop
