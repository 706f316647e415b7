// kind: query
// about: entities
// reads: every term
// Entities, by name, shared by the most samples.
// parameter limit = 25: maximum number of rows
// column entity: the folded name
// column samples: in how many samples
MATCH (term:Term)<-[:IS]-(entity:Entity)
RETURN term.name AS entity, count(DISTINCT entity.sample) AS samples
ORDER BY samples DESC, entity
LIMIT $limit
