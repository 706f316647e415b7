// kind: write
// Takes the entities of samples out of the graph, with all edges between them.
// parameter samples: sample ids
UNWIND $samples AS sample
MATCH (entity:Entity {sample: sample})
DETACH DELETE entity
