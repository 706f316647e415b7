// kind: write
// Records the version of the schema.
// parameter version: a number
MERGE (schema:Schema {id: 'kbe'}) SET schema.version = $version
