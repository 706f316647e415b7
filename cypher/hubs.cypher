// kind: query
// about: entities
// reads: every edge
// Entities, by name, with the most distinct relations, across all samples.
// parameter limit = 25: maximum number of rows
// column entity: the folded name
// column relations: how many different relations lead to it or from it
// column triplets: in how many triplets
// column samples: in how many samples
MATCH (entity:Entity)-[edge:VISUAL|TEXTUAL]-(:Entity)
WHERE entity.name <> 'IMAGE'
RETURN entity.term AS entity, count(DISTINCT edge.relation) AS relations, count(DISTINCT edge.id) AS triplets,
  count(DISTINCT edge.sample) AS samples
ORDER BY relations DESC, triplets DESC, entity
LIMIT $limit
