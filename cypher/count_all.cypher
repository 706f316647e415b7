// kind: read
// How many nodes and edges the graph has.
// column count: how many, of nodes and then of edges
MATCH (node)
RETURN count(node) AS count
UNION ALL
MATCH ()-[edge]->()
RETURN count(edge) AS count
