// kind: write
// Makes pairs of two kept questions of a run that ask the same words about two pictures, where the answers differ.
// parameter rows: subject and object (question ids)
UNWIND $rows AS row
MATCH (twin:Question {id: row.subject})
MATCH (question:Question {id: row.object})
MERGE (twin)-[:TWIN_OF]->(question)
SET twin.paired = question.id
