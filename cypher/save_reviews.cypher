// kind: write
// Saves decisions of reviewers; one that is there stays as it is.
// parameter rows: id, properties
UNWIND $rows AS row
MERGE (review:Review {id: row.id})
SET review += row.properties
