// kind: read
// Which answers of a model to questions are there.
// parameter ids: ids of questions
// parameter model: the model's name
// column id: the answer's id
UNWIND $ids AS id
MATCH (question:Question {id: id})<-[answered:ANSWERED]-(:Model {name: $model})
RETURN answered.id AS id
