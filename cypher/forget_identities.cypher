// kind: write
// Takes what was recognised in the pictures of samples out of the graph.
// parameter samples: sample ids
UNWIND $samples AS sample
MATCH (identity:Identity {sample: sample})
DETACH DELETE identity
