// kind: write
// Takes what was recognised in the pictures of samples out of the graph.
// parameter samples: sample ids
// parameter run: the run whose drafts name them, or null for all
UNWIND $samples AS sample
MATCH (identity:Identity {sample: sample})
WHERE $run IS NULL OR identity.run = $run
DETACH DELETE identity
