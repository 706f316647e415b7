// kind: read
// The twins of questions, without the twins themselves.
// parameter ids: question ids
// column id: the twin's id
// column sample: its sample
UNWIND $ids AS id
MATCH (:Question {id: id})<-[:TWIN_OF]-(twin:Question)
RETURN twin.id AS id, twin.sample AS sample
