// kind: write
// Sets properties of samples that are there: their content, or their status with its reason.
// parameter rows: id, properties
UNWIND $rows AS row
MATCH (sample:Sample {id: row.id})
SET sample += row.properties
