// kind: write
// Links questions to the entity that other things could stand in place of, an edge for each of these.
// parameter rows: id, subject (question id), object (entity id), properties
UNWIND $rows AS row
MATCH (question:Question {id: row.subject})
MATCH (entity:Entity {id: row.object})
MERGE (question)-[alternative:ALTERNATIVE {id: row.id}]->(entity)
SET alternative += row.properties
