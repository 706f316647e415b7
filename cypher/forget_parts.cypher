// kind: write
// Takes the parts of shared work out of the graph.
// parameter works: which works
UNWIND $works AS work
MATCH (part:Part {work: work})
DETACH DELETE part
