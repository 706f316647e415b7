// kind: query
// about: paths
// example: id=demo/demo/107438-country@demo-0/2
// Kept questions whose keys have the same relations in the same order as the key of a question, including the
// question itself.
// parameter id: the question's id
// parameter limit = 25: maximum number of rows
// column id: the id of a question
// column hop: its hop
// column question: its text
// column answer: its answer
MATCH (given:Question {id: $id})
MATCH (:Entity {sample: given.sample})-[own:KEY]->(:Entity)
WHERE own.question = $id
WITH own.relation AS relation, own.position AS position
ORDER BY position
WITH collect(relation) AS shape
WITH shape, shape[size(shape) - 1] AS last
CALL (last) {
  MATCH (:Entity)-[edge:VISUAL]->(object:Entity)
  WHERE edge.relation = last
  RETURN object
  UNION
  MATCH (:Entity)-[edge:TEXTUAL]->(object:Entity)
  WHERE edge.relation = last
  RETURN object
}
MATCH (object)<-[end:KEY]-(:Entity)
WHERE end.relation = last AND end.position = size(shape) - 1
WITH DISTINCT shape, end.question AS id
MATCH (question:Question {id: id, status: 'kept'})
WHERE question.difficulty = size(shape)
MATCH (:Entity {sample: question.sample})-[key:KEY]->(:Entity)
WHERE key.question = question.id
WITH shape, question, key.relation AS relation, key.position AS position
ORDER BY position
WITH shape, question, collect(relation) AS relations
WHERE relations = shape
RETURN question.id AS id, question.hop AS hop, question.text AS question, question.answer AS answer
ORDER BY id
LIMIT $limit
