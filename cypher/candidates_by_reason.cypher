// kind: query
// Candidates that were considered for questions, by what was decided of them.
// parameter run = null: one run only
// column run: the run
// column hop: the hop
// column status: kept, not drawn or dropped
// column reason: the reason of a drop
// column candidates: how many
MATCH (candidate:Candidate)
WHERE $run IS NULL OR candidate.run = $run
RETURN candidate.run AS run, candidate.hop AS hop, candidate.status AS status, candidate.reason AS reason,
  count(*) AS candidates
ORDER BY run, hop, candidates DESC, status, reason
