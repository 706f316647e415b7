// kind: write
// Writes which filters refuse statements, without a change of anything else.
// parameter rows: id (item id), reasons (a list by statement id)
UNWIND $rows AS row
MATCH (:Item {id: row.id})-[statement:STATEMENT]->()
WHERE row.reasons[statement.id] IS NOT NULL
SET statement.reasons = row.reasons[statement.id], statement.kept = size(row.reasons[statement.id]) = 0
