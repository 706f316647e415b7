// kind: write
// Records the version of the schema, and whether a backup is being restored.
// parameter version: a number
// parameter restoring: true or false
MERGE (schema:Schema {id: 'kbe'}) SET schema.version = $version, schema.restoring = $restoring
