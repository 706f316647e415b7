// kind: read
// The version of the schema that the graph was written with; no row in a graph that is not ours.
// column version: a number
// column restoring: true while a backup is being restored
MATCH (schema:Schema {id: 'kbe'}) RETURN schema.version AS version, coalesce(schema.restoring, false) AS restoring
