// kind: write
// Takes drafts of questions out of the graph; their triplets go with the edges of their run.
// parameter samples: sample ids
// parameter run: the run's name, or null for all
UNWIND $samples AS sample
MATCH (draft:Draft {sample: sample})
WHERE $run IS NULL OR draft.run = $run
DETACH DELETE draft
