// kind: write
// Takes the decisions on questions out of the graph.
// parameter rows: id (question id)
UNWIND $rows AS row
MATCH (:Question {id: row.id})<-[:REVIEWS]-(review:Review)
DETACH DELETE review
