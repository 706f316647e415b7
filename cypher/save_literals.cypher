// kind: write
// Saves values that are no items; one that is there already stays as it is.
// parameter rows: id, properties (kind, text)
UNWIND $rows AS row
MERGE (literal:Literal {id: row.id})
ON CREATE SET literal += row.properties
