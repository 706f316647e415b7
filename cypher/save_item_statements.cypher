// kind: write
// Makes statements that lead to items; those of the same ids are taken out before.
// Each property is named, because an engine writes what is set afterwards a second time.
// parameter rows: id, subject (item id), object (item id), properties
UNWIND $rows AS row
MATCH (item:Item {id: row.subject})
MATCH (target:Item {id: row.object})
CREATE (item)-[:STATEMENT {
  id: row.id, item: row.subject, position: row.properties.position, property_id: row.properties.property_id,
  relation: row.properties.relation, datatype: row.properties.datatype, kind: row.properties.kind,
  target: row.properties.target, text: row.properties.text, raw: row.properties.raw, unit: row.properties.unit,
  rank: row.properties.rank, best: row.properties.best, current: row.properties.current,
  reasons: row.properties.reasons, kept: row.properties.kept
}]->(target)
