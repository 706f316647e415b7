// kind: write
// Saves the key edges of questions.
// parameter rows: id, subject and object (entity ids), properties
UNWIND $rows AS row
MATCH (subject:Entity {id: row.subject})
MATCH (object:Entity {id: row.object})
MERGE (subject)-[key:KEY {id: row.id}]->(object)
ON CREATE SET key += row.properties
