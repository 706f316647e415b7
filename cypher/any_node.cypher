// kind: read
// One node of any kind, to tell an empty graph from one that holds other data.
// column labels: its labels
MATCH (node) RETURN labels(node) AS labels LIMIT 1
