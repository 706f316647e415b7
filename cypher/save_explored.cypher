// kind: write
// Grows textual graphs by the triplets that a run explored; those of a sample's own graph are left out.
// parameter rows: id, own (the id that the triplet would have in the sample's own graph), subject, object, properties
UNWIND $rows AS row
MATCH (subject:Entity {id: row.subject})
MATCH (object:Entity {id: row.object})
WHERE NOT EXISTS { (subject)-[:TEXTUAL {id: row.own}]->(object) }
MERGE (subject)-[textual:TEXTUAL {id: row.id}]->(object)
ON CREATE SET textual += row.properties
