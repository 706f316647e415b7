// kind: query
// about: relations
// reads: every edge
// Relations by the share of their most common object. A high share means that the object can be guessed from the
// relation.
// parameter least (number) = 5: minimum number of triplets of a relation
// parameter limit = 25: maximum number of rows
// column relation: the relation
// column triplets: how many triplets have it
// column objects: how many different objects, by name
// column commonest: the object that it leads to most often
// column share: part of the relation's triplets that lead there, in per cent
MATCH (:Entity)-[edge:VISUAL|TEXTUAL]->(object:Entity)
WITH edge.relation AS relation, object.term AS object, count(*) AS triplets
ORDER BY triplets DESC, object
WITH relation, sum(triplets) AS triplets, count(*) AS objects, collect(object)[0] AS commonest, max(triplets) AS most
WHERE triplets >= $least
RETURN relation, triplets, objects, commonest, round(100.0 * most / triplets, 1) AS share
ORDER BY share DESC, triplets DESC, relation
LIMIT $limit
