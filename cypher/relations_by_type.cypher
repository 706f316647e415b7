// kind: query
// about: relations
// reads: every edge
// Relations by the type of their object (animal, artifact, food ...).
// parameter limit = 25: maximum number of rows
// column type: the object's type, empty where it is not known
// column relation: the relation
// column triplets: how many triplets have it
// column objects: how many different objects, by name
MATCH (:Entity)-[edge:VISUAL|TEXTUAL]->(object:Entity)
RETURN coalesce(object.type, '') AS type, edge.relation AS relation, count(*) AS triplets,
  count(DISTINCT object.term) AS objects
ORDER BY triplets DESC, type, relation
LIMIT $limit
