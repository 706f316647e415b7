// kind: read
// The items that statements lead to and whose own statements are not there, those that most lead to first.
// parameter kept: true or false for kept or refused statements alone, or null for all
// column id: the item's id
// column count: how many statements lead to it
MATCH (:Item)-[statement:STATEMENT]->(target:Item)
WHERE target.fetched IS NULL AND ($kept IS NULL OR statement.kept = $kept)
RETURN target.id AS id, count(*) AS count
ORDER BY count DESC, id
