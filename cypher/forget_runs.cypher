// kind: write
// Takes runs out of the graph; their questions are taken out before.
// parameter names: names of runs
UNWIND $names AS name
MATCH (run:Run {name: name})
DETACH DELETE run
