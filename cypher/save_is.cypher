// kind: write
// Links entities to their terms.
// parameter rows: subject (entity id), object (term name)
UNWIND $rows AS row
MATCH (entity:Entity {id: row.subject})
MATCH (term:Term {name: row.object})
MERGE (entity)-[:IS]->(term)
