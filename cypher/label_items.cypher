// kind: write
// Gives a label to items that have none yet.
// parameter rows: id, properties (label)
UNWIND $rows AS row
MATCH (item:Item {id: row.id})
WHERE item.label IS NULL OR item.label = ''
SET item.label = row.properties.label
