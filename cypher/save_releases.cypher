// kind: write
// Saves versions of releases; one that is there stays as it is.
// parameter rows: id, properties
UNWIND $rows AS row
MERGE (release:Release {id: row.id})
SET release += row.properties
