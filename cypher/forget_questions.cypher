// kind: write
// Takes questions out of the graph.
// parameter rows: id (question id)
UNWIND $rows AS row
MATCH (question:Question {id: row.id})
DETACH DELETE question
