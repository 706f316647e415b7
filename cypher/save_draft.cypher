// kind: write
// Saves the triplets of drafts: their keys, and the facts by which others than their answers would fit.
// parameter rows: id, subject and object (entity ids), properties
UNWIND $rows AS row
MATCH (subject:Entity {id: row.subject})
MATCH (object:Entity {id: row.object})
MERGE (subject)-[draft:DRAFT {id: row.id}]->(object)
SET draft += row.properties
