// kind: query
// about: relations
// reads: every edge
// Relations by graph and hop. Hop 0 is the sample's own graph; later hops were explored.
// parameter limit = 25: maximum number of rows
// parameter hop (number) = null: only this hop
// column graph: visual or textual
// column hop: the hop
// column relation: the relation
// column triplets: how many triplets have it
MATCH (:Entity)-[edge:VISUAL|TEXTUAL]->(:Entity)
WHERE $hop IS NULL OR edge.hop = $hop
RETURN toLower(type(edge)) AS graph, edge.hop AS hop, edge.relation AS relation, count(*) AS triplets
ORDER BY triplets DESC, graph, hop, relation
LIMIT $limit
