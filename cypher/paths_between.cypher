// kind: query
// about: paths
// example: entity=tomato other=large
// Paths of up to four triplets between two entities within a sample, by their relations.
// parameter entity: the name of the first entity, case-insensitive
// parameter other: the name of the last entity, case-insensitive
// parameter limit = 25: maximum number of rows
// column entities: the folded names along the path
// column relations: the relations along the path
// column samples: in how many samples
// column first: the first of them by id
MATCH (term:Term {name: toLower($entity)})<-[:IS]-(start:Entity)
MATCH path = (start)-[:VISUAL|TEXTUAL*1..4]->(end:Entity)
WHERE end.term = toLower($other)
WITH [entity IN nodes(path) | entity.term] AS entities, [edge IN relationships(path) | edge.relation] AS relations,
  start.sample AS sample
RETURN entities, relations, count(DISTINCT sample) AS samples, min(sample) AS first
ORDER BY samples DESC, size(relations), first, entities, relations
LIMIT $limit
