// kind: read
// Drafts of a run's questions.
// parameter run: a run's name, or null for all
// column draft: the properties of the node
MATCH (draft:Draft)
WHERE $run IS NULL OR draft.run = $run
RETURN properties(draft) AS draft
