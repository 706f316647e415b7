// kind: read
// Every node, for a backup.
// column label: its label
// column properties: its properties
MATCH (node)
RETURN labels(node)[0] AS label, properties(node) AS properties
