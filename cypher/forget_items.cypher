// kind: write
// Takes some items out of the graph with their statements.
// Those that are only named come last, when the statements that lead to them have gone with the others.
// parameter most: how many at once
// parameter shared: whether those that are only named are taken too
// column count: how many were taken
MATCH (item:Item)
WHERE $shared OR item.fetched IS NOT NULL
WITH item LIMIT $most
DETACH DELETE item
RETURN count(*) AS count
