// kind: write
// Links rounds to the questions that strong models answer alike and against the key.
// parameter rows: subject (round id), object (question id), properties
UNWIND $rows AS row
MATCH (round:Round {id: row.subject})
MATCH (question:Question {id: row.object})
MERGE (round)-[disputes:DISPUTES]->(question)
SET disputes += row.properties
