// kind: write
// Links a version of a release to the questions in it.
// parameter rows: subject (release id), object (question id), properties
UNWIND $rows AS row
MATCH (release:Release {id: row.subject})
MATCH (question:Question {id: row.object})
MERGE (release)-[holds:HOLDS]->(question)
SET holds += row.properties
