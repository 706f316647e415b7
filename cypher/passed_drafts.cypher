// kind: read
// The drafts of samples in a run that passed every gate.
// parameter samples: sample ids
// parameter run: a run's name
// column draft: the properties of the node
UNWIND $samples AS sample
MATCH (draft:Draft {sample: sample})
WHERE draft.run = $run AND draft.status <> 'refused'
RETURN properties(draft) AS draft
