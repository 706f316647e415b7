// kind: write
// Takes some pictures of Wikipedia pages out of the graph.
// parameter most: how many at once
// column count: how many were taken
MATCH (picture:Picture)
WITH picture LIMIT $most
DETACH DELETE picture
RETURN count(*) AS count
