// kind: query
// about: runs
// reads: every draft
// Drafts of questions by shape, and by the gate that refused them. A draft that passed was chosen, or is kept as the next
// best of its sample.
// parameter run = null: a run's name, or null for all
// column run: the run
// column shape: the shape
// column status: chosen, passed or refused
// column reason: why it was refused
// column drafts: how many
MATCH (draft:Draft)
WHERE ($run IS NULL OR draft.run = $run) AND coalesce(draft.twin, '') = ''
RETURN draft.run AS run, draft.shape AS shape, draft.status AS status, draft.reason AS reason, count(*) AS drafts
ORDER BY run, drafts DESC, shape, reason
