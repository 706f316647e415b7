// kind: write
// Takes some nodes with their edges out of the graph, the record of the schema left in.
// parameter most: how many at once
// column count: how many were taken
MATCH (node)
WHERE NOT node:Schema
WITH node LIMIT $most
DETACH DELETE node
RETURN count(*) AS count
