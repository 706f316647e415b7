// kind: write
// Saves items that a picture or a statement names; one that is there already stays as it is.
// parameter rows: id, properties (label)
UNWIND $rows AS row
MERGE (item:Item {id: row.id})
ON CREATE SET item += row.properties
