// kind: write
// Links twins to the question whose words they ask about another picture.
// parameter rows: subject and object (question ids)
UNWIND $rows AS row
MATCH (twin:Question {id: row.subject})
MATCH (question:Question {id: row.object})
MERGE (twin)-[:TWIN_OF]->(question)
