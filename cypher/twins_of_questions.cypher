// kind: read
// The twins that were made of questions, which go with them.
// parameter ids: question ids
// column id: the twin's id
// column sample: its sample
UNWIND $ids AS id
MATCH (:Question {id: id})<-[:TWIN_OF]-(twin:Question {kind: 'twin'})
RETURN twin.id AS id, twin.sample AS sample
