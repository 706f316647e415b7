// kind: write
// Takes some nodes with their edges out of the graph, the record of the schema left in.
// What many samples share comes last, when its edges have gone with the samples: all at once they may not fit the memory.
// parameter most: how many at once
// parameter shared: whether what samples share is taken too
// column count: how many were taken
MATCH (node)
WHERE NOT node:Schema AND ($shared OR NOT (node:Term OR node:Model))
WITH node LIMIT $most
DETACH DELETE node
RETURN count(*) AS count
