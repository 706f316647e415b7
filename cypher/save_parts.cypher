// kind: write
// Saves parts of shared work, and holds each until the transaction ends, so that no other client sees it in between.
// parameter rows: id, properties
UNWIND $rows AS row
MERGE (part:Part {id: row.id})
ON CREATE SET part += row.properties
SET part.seen = true
