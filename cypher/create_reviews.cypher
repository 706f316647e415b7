// kind: write
// Adds decisions of reviewers to their questions; an id that is there already ends the transaction.
// parameter rows: id, properties
UNWIND $rows AS row
MATCH (question:Question {id: row.properties.question})
CREATE (review:Review {id: row.id})-[:REVIEWS]->(question)
SET review += row.properties
