// kind: write
// Saves drafts of questions.
// parameter rows: id, properties
UNWIND $rows AS row
MERGE (draft:Draft {id: row.id})
SET draft += row.properties
