// kind: read
// Whether an object would close a cycle in the key subgraph of a question: it is the current answer, or it equals a
// subject, or leads back to one over key edges. Objects are compared by folded name.
// parameter rows: place (a number), question, sample, object (folded name)
// column place: the number of the row
// column cycle: true or false
UNWIND $rows AS row
MATCH (question:Question {id: row.question})
OPTIONAL MATCH (object:Entity {sample: row.sample})
WHERE object.term = row.object
  AND (object.id = question.end OR EXISTS { (object)-[:KEY*1..12 {question: row.question}]->(:Entity) })
RETURN row.place AS place, count(object) > 0 AS cycle
