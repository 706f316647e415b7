// kind: query
// about: duplicates
// reads: every key
// Keys shared by samples: the same relations to entities of the same names, in any wording of the question.
// parameter limit = 25: maximum number of rows
// column relations: the relations in their order
// column entities: the folded names that they lead to
// column samples: how many samples have such a key
// column first: the first of their questions by id
MATCH (:Entity)-[key:KEY]->(object:Entity)
WITH key.question AS question, key.sample AS sample, key.relation AS relation, object.term AS entity,
  key.position AS position
ORDER BY question, position
WITH question, sample, collect(relation) AS relations, collect(entity) AS entities
WITH relations, entities, count(DISTINCT sample) AS samples, min(question) AS first
WHERE samples > 1
RETURN relations, entities, samples, first
ORDER BY samples DESC, first
LIMIT $limit
