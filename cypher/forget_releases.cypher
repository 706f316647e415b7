// kind: write
// Takes the releases of runs out of the graph.
// reads: every release
// parameter names: names of runs
MATCH (release:Release)
WHERE release.run IN $names
DETACH DELETE release
