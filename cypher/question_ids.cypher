// kind: read
// Those of the given questions that are in the graph.
// parameter ids: question ids
// column id: a question's id
// column sample: its sample's id
UNWIND $ids AS id
MATCH (question:Question {id: id})
RETURN question.id AS id, question.sample AS sample
