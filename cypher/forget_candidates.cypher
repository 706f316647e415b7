// kind: write
// Takes the candidates of questions out of the graph.
// parameter rows: id (question id)
UNWIND $rows AS row
MATCH (:Question {id: row.id})<-[:FOR]-(candidate:Candidate)
DETACH DELETE candidate
