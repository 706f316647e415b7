// kind: write
// Saves questions.
// parameter rows: id, properties
UNWIND $rows AS row
MERGE (question:Question {id: row.id})
SET question += row.properties
