// kind: read
// The indexes of the graph, those that keep something unique included.
// column label: the label or type
// column property: the property
// column constraint: the constraint that it serves
SHOW INDEXES YIELD labelsOrTypes, properties, owningConstraint
WHERE labelsOrTypes IS NOT NULL
RETURN labelsOrTypes[0] AS label, properties[0] AS property, owningConstraint AS constraint
