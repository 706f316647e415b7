// kind: write
// Saves questions that were perturbed; one that is there is replaced.
// parameter rows: id, properties
UNWIND $rows AS row
MERGE (variant:Variant {id: row.id})
SET variant += row.properties
