// kind: query
// about: entities
// example: entity=pizza
// Samples whose graph contains an entity.
// parameter entity: the entity's name, case-insensitive
// parameter limit = 25: maximum number of rows
// column sample: the sample's id
// column question: its question
// column answer: its answer
// column entity: the entity's name there
MATCH (term:Term {name: toLower($entity)})<-[:IS]-(entity:Entity)
MATCH (sample:Sample {id: entity.sample})
RETURN DISTINCT sample.id AS sample, sample.question AS question, sample.answer AS answer, entity.name AS entity
ORDER BY sample, entity
LIMIT $limit
