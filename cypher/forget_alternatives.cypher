// kind: write
// Takes the alternatives of questions out of the graph.
// parameter rows: id (question id)
UNWIND $rows AS row
MATCH (:Question {id: row.id})-[alternative:ALTERNATIVE]->(:Entity)
DELETE alternative
