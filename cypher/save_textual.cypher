// kind: write
// Saves triplets of textual graphs; one that is there already stays as it is.
// parameter rows: id, subject and object (entity ids), properties
UNWIND $rows AS row
MATCH (subject:Entity {id: row.subject})
MATCH (object:Entity {id: row.object})
MERGE (subject)-[textual:TEXTUAL {id: row.id}]->(object)
ON CREATE SET textual += row.properties
