// kind: query
// about: relations
// reads: every edge
// Frequency of each relation in visual and textual graphs, and the number of samples that have it.
// parameter limit = 25: maximum number of rows
// column relation: the relation
// column triplets: how many triplets have it
// column samples: in how many samples
MATCH (:Entity)-[edge:VISUAL|TEXTUAL]->(:Entity)
RETURN edge.relation AS relation, count(*) AS triplets, count(DISTINCT edge.sample) AS samples
ORDER BY triplets DESC, relation
LIMIT $limit
