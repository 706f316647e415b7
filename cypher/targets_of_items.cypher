// kind: read
// The items and literals that the statements of items lead to.
// parameter ids: item ids
// column id: the id of an item or literal
UNWIND $ids AS id
MATCH (:Item {id: id})-[:STATEMENT]->(target)
RETURN DISTINCT target.id AS id
