// kind: write
// Takes some values that are no items out of the graph.
// parameter most: how many at once
// column count: how many were taken
MATCH (literal:Literal)
WITH literal LIMIT $most
DETACH DELETE literal
RETURN count(*) AS count
