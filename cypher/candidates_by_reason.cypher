// kind: query
// about: runs
// reads: every run
// Candidates by status and reason.
// parameter run = null: only this run
// column run: the run
// column hop: the hop
// column status: kept, not drawn or dropped
// column reason: the reason of a drop
// column candidates: how many
MATCH (run:Run)
WHERE $run IS NULL OR run.name = $run
MATCH (candidate:Candidate {run: run.name})
RETURN candidate.run AS run, candidate.hop AS hop, candidate.status AS status, candidate.reason AS reason,
  count(*) AS candidates
ORDER BY run, hop, candidates DESC, status, reason
