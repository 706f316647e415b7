// kind: write
// Saves runs with their settings.
// parameter rows: id (the name), properties
UNWIND $rows AS row
MERGE (run:Run {name: row.id})
SET run += row.properties
