// kind: query
// about: entities
// example: entity=pizza
// Relations to or from an entity, across all samples.
// parameter entity: the entity's name, case-insensitive
// parameter limit = 25: maximum number of rows
// column direction: in, where the entity is the object, or out
// column relation: the relation
// column triplets: how many triplets have it
// column samples: in how many samples
MATCH (term:Term {name: toLower($entity)})<-[:IS]-(entity:Entity)-[edge:VISUAL|TEXTUAL]-(:Entity)
WITH CASE WHEN startNode(edge).id = entity.id THEN 'out' ELSE 'in' END AS direction, edge.relation AS relation,
  edge.sample AS sample
RETURN direction, relation, count(*) AS triplets, count(DISTINCT sample) AS samples
ORDER BY triplets DESC, direction, relation
LIMIT $limit
