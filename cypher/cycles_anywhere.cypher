// kind: query
// Entities that a key path leads back to: there must be none.
// parameter limit = 25: the most rows
// column question: the question's id
// column entity: the entity
MATCH (entity:Entity)-[key:KEY]->(:Entity)
WITH DISTINCT entity, key.question AS question
WHERE EXISTS { (entity)-[:KEY*1..12 {question: question}]->(entity) }
RETURN question, entity.name AS entity
ORDER BY question, entity
LIMIT $limit
