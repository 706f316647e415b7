// kind: read
// Statements by whether they are kept.
// column kept: false for those that a filter refuses
// column count: how many
MATCH (:Item)-[statement:STATEMENT]->()
RETURN statement.kept AS kept, count(*) AS count
