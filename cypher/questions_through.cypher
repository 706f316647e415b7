// kind: query
// about: entities
// example: entity=pizza
// Questions whose key path passes through an entity.
// parameter entity: the entity's name, case-insensitive
// parameter limit = 25: maximum number of rows
// column id: the question's id
// column hop: its hop
// column question: its text
// column answer: its answer
MATCH (term:Term {name: toLower($entity)})<-[:IS]-(entity:Entity)-[key:KEY]-(:Entity)
WITH DISTINCT key.question AS id
MATCH (question:Question {id: id, status: 'kept'})
RETURN question.id AS id, question.hop AS hop, question.text AS question, question.answer AS answer
ORDER BY id
LIMIT $limit
