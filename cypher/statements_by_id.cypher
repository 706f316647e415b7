// kind: read
// The statements with the given ids, as far as they are there.
// parameter ids: statement ids
// column statement: its properties
MATCH ()-[statement:STATEMENT]->()
WHERE statement.id IN $ids
RETURN properties(statement) AS statement
