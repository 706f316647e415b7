// kind: write
// Saves the candidates that were considered for questions.
// parameter rows: id, properties
UNWIND $rows AS row
MERGE (candidate:Candidate {id: row.id})
SET candidate += row.properties
