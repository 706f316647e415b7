// kind: read
// All versions of releases.
// column release: the properties of the node
MATCH (release:Release)
RETURN properties(release) AS release
