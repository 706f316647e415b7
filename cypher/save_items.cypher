// kind: write
// Saves items; what is known of one that is there already is replaced.
// parameter rows: id, properties
UNWIND $rows AS row
MERGE (item:Item {id: row.id})
SET item += row.properties
