// kind: write
// Takes the releases of runs out of the graph.
// parameter names: names of runs
MATCH (release:Release)
WHERE release.run IN $names
DETACH DELETE release
