// kind: read
// Relations to or from an entity, in some of the graphs that contain it.
// parameter entity: the entity's name
// parameter graphs: in how many graphs at most
// parameter limit: maximum number of rows
// column direction: in, where the entity is the object, or out
// column relation: the relation
// column triplets: how many triplets have it
// column samples: in how many samples
MATCH (term:Term {name: $entity})<-[:IS]-(entity:Entity)
WITH entity LIMIT $graphs
MATCH (entity)-[edge:VISUAL|TEXTUAL]-(:Entity)
WITH CASE WHEN startNode(edge).id = entity.id THEN 'out' ELSE 'in' END AS direction, edge.relation AS relation,
  edge.sample AS sample
RETURN direction, relation, count(*) AS triplets, count(DISTINCT sample) AS samples
ORDER BY triplets DESC, direction, relation
LIMIT $limit
