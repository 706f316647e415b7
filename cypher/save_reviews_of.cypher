// kind: write
// Links decisions of reviewers to their questions.
// parameter rows: subject (review id), object (question id)
UNWIND $rows AS row
MATCH (review:Review {id: row.subject})
MATCH (question:Question {id: row.object})
MERGE (review)-[:REVIEWS]->(question)
