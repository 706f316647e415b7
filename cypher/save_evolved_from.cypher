// kind: write
// Links questions to the question they evolved from.
// parameter rows: subject and object (question ids)
UNWIND $rows AS row
MATCH (question:Question {id: row.subject})
MATCH (parent:Question {id: row.object})
MERGE (question)-[:EVOLVED_FROM]->(parent)
