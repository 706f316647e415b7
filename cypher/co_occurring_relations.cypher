// kind: query
// about: relations
// reads: every edge
// Pairs of relations that occur in the same sample, in its own graph only.
// parameter limit = 25: maximum number of rows
// column relation: a relation
// column other: another relation
// column samples: in how many samples both occur
MATCH (:Entity)-[edge:VISUAL|TEXTUAL {hop: 0}]->(:Entity)
WITH edge.sample AS sample, collect(DISTINCT edge.relation) AS relations
UNWIND relations AS relation
UNWIND relations AS other
WITH relation, other WHERE relation < other
RETURN relation, other, count(*) AS samples
ORDER BY samples DESC, relation, other
LIMIT $limit
