// kind: query
// about: relations
// example: relation=taxonomic family
// Kept questions whose key contains a relation.
// parameter relation: the relation, spelled as in the graph
// parameter limit = 25: maximum number of rows
// column id: the question's id
// column hop: its hop
// column question: its text
// column answer: its answer
CALL () {
  MATCH (subject:Entity)-[edge:VISUAL]->(object:Entity)
  WHERE edge.relation = $relation
  RETURN subject
  UNION ALL
  MATCH (subject:Entity)-[edge:TEXTUAL]->(object:Entity)
  WHERE edge.relation = $relation
  RETURN subject
}
WITH DISTINCT subject
MATCH (subject)-[key:KEY]->(:Entity)
WHERE key.relation = $relation
WITH DISTINCT key.question AS id
MATCH (question:Question {id: id, status: 'kept'})
RETURN question.id AS id, question.hop AS hop, question.text AS question, question.answer AS answer
ORDER BY id
LIMIT $limit
