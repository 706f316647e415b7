// kind: query
// about: paths
// reads: every edge
// Pairs of relations where the second starts at the object of the first.
// parameter limit = 25: maximum number of rows
// column relation: the first relation
// column next: the relation that follows
// column pairs: how often
MATCH (:Entity)-[first:VISUAL|TEXTUAL]->(:Entity)-[second:VISUAL|TEXTUAL]->(:Entity)
RETURN first.relation AS relation, second.relation AS next, count(*) AS pairs
ORDER BY pairs DESC, relation, next
LIMIT $limit
