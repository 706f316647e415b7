// kind: read
// The statements of items.
// parameter ids: item ids
// parameter kept: true or false for kept or refused statements alone, or null for all
// column item: the item's id
// column statements: each as a list, received faster than a row a statement
UNWIND $ids AS id
MATCH (:Item {id: id})-[statement:STATEMENT]->()
WHERE $kept IS NULL OR statement.kept = $kept
RETURN id AS item, collect([
  statement.position, statement.id, statement.item, statement.property_id, statement.relation, statement.datatype,
  statement.kind, statement.target, statement.text, statement.raw, statement.unit, statement.rank, statement.best,
  statement.current, statement.reasons
]) AS statements
