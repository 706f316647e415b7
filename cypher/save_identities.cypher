// kind: write
// Saves what models recognised in the pictures of samples, confirmed or refused.
// parameter rows: id, properties
UNWIND $rows AS row
MERGE (identity:Identity {id: row.id})
SET identity += row.properties
