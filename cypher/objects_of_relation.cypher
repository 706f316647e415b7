// kind: query
// about: relations
// example: relation=taxonomic family
// Objects of a relation's triplets, by share.
// parameter relation: the relation, spelled as in the graph
// parameter limit = 25: maximum number of rows
// column object: the folded name
// column triplets: how many triplets
// column share: part of all triplets of the relation, in per cent
CALL () {
  MATCH (subject:Entity)-[edge:VISUAL]->(object:Entity)
  WHERE edge.relation = $relation
  RETURN object.term AS object
  UNION ALL
  MATCH (subject:Entity)-[edge:TEXTUAL]->(object:Entity)
  WHERE edge.relation = $relation
  RETURN object.term AS object
}
WITH object, count(*) AS triplets
WITH collect({object: object, triplets: triplets}) AS rows, sum(triplets) AS total
UNWIND rows AS row
RETURN row.object AS object, row.triplets AS triplets, round(100.0 * row.triplets / total, 1) AS share
ORDER BY triplets DESC, object
LIMIT $limit
