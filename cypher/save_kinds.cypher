// kind: write
// Records the kinds of entities.
// parameter rows: id, kind
UNWIND $rows AS row
MATCH (entity:Entity {id: row.id})
SET entity.kind = row.kind
