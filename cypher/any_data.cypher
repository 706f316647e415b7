// kind: read
// One node that is not the record of the schema, to tell an empty graph from one that holds something.
// column labels: its labels
MATCH (node)
WHERE NOT node:Schema
RETURN labels(node) AS labels
LIMIT 1
