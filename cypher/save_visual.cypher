// kind: write
// Saves triplets of visual graphs; one that is there already stays as it is.
// parameter rows: id, subject and object (entity ids), properties
UNWIND $rows AS row
MATCH (subject:Entity {id: row.subject})
MATCH (object:Entity {id: row.object})
MERGE (subject)-[visual:VISUAL {id: row.id}]->(object)
ON CREATE SET visual += row.properties
