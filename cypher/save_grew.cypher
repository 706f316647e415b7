// kind: write
// Links rounds to the questions that they made.
// parameter rows: subject (round id), object (question id), properties
UNWIND $rows AS row
MATCH (round:Round {id: row.subject})
MATCH (question:Question {id: row.object})
MERGE (round)-[grew:GREW]->(question)
SET grew += row.properties
