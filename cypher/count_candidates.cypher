// kind: read
// Candidates of runs by hop, status and reason.
// parameter run: the run's name, or null for all
// column run: the run's name
// column hop: the hop
// column status: kept, dropped or not drawn
// column reason: why it was dropped
// column count: how many
MATCH (candidate:Candidate)
WHERE $run IS NULL OR candidate.run = $run
RETURN candidate.run AS run, candidate.hop AS hop, candidate.status AS status, candidate.reason AS reason,
  count(*) AS count
ORDER BY run, hop, status, reason
