// kind: write
// Links questions to their samples.
// parameter rows: subject (question id), object (sample id)
UNWIND $rows AS row
MATCH (question:Question {id: row.subject})
MATCH (sample:Sample {id: row.object})
MERGE (question)-[:OF]->(sample)
