// kind: write
// Links samples to the entity IMAGE that their paths start at.
// parameter rows: subject (sample id), object (entity id)
UNWIND $rows AS row
MATCH (sample:Sample {id: row.subject})
MATCH (image:Entity {id: row.object})
MERGE (sample)-[:ROOT]->(image)
