// kind: read
// The version of the schema that the graph was written with; no row in a graph that is not ours.
// column version: a number
MATCH (schema:Schema {id: 'kbe'}) RETURN schema.version AS version
