// kind: query
// about: entities
// reads: every key
// Entities, by name, that keys pass through: without them, the answers behind them are not reached.
// parameter limit = 25: maximum number of rows
// column entity: the folded name
// column questions: how many questions, kept or dropped, have it inside of their key
// column turns: how many different pairs of relations, one that leads to it and one that leads on
MATCH (:Entity)-[first:KEY]->(entity:Entity)-[second:KEY]->(:Entity)
WHERE first.question = second.question
RETURN entity.term AS entity, count(DISTINCT first.question) AS questions,
  count(DISTINCT first.relation + ' -> ' + second.relation) AS turns
ORDER BY questions DESC, turns DESC, entity
LIMIT $limit
