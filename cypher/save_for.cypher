// kind: write
// Links candidates to the question they were considered for.
// parameter rows: subject (candidate id), object (question id)
UNWIND $rows AS row
MATCH (candidate:Candidate {id: row.subject})
MATCH (question:Question {id: row.object})
MERGE (candidate)-[:FOR]->(question)
