// kind: write
// Saves entities; one that is there already stays as it is.
// parameter rows: id, properties
UNWIND $rows AS row
MERGE (entity:Entity {id: row.id})
ON CREATE SET entity += row.properties
