// kind: query
// about: paths
// reads: every edge
// Chains of three relations, each of which starts at the object of the one before.
// parameter limit = 25: maximum number of rows
// column relation: the first relation
// column next: the relation that follows
// column last: the relation that follows that one
// column chains: how often
MATCH (:Entity)-[first:VISUAL|TEXTUAL]->(:Entity)-[second:VISUAL|TEXTUAL]->(:Entity)-[third:VISUAL|TEXTUAL]->(:Entity)
RETURN first.relation AS relation, second.relation AS next, third.relation AS last, count(*) AS chains
ORDER BY chains DESC, relation, next, last
LIMIT $limit
