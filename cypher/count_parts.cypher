// kind: read
// How many parts of shared work there are.
// parameter work: which work
// column count: how many
MATCH (part:Part {work: $work})
RETURN count(part) AS count
