// kind: write
// Saves samples; one that is there already stays as it is.
// parameter rows: id, properties
UNWIND $rows AS row
MERGE (sample:Sample {id: row.id})
ON CREATE SET sample += row.properties
