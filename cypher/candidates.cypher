// kind: read
// Candidates that were considered for questions.
// parameter run: a run's name, or null for all
// parameter hop: a hop, or null for all
// parameter status: kept, not drawn or dropped, or null for all
// column candidate: the properties of the node
MATCH (candidate:Candidate)
WHERE ($run IS NULL OR candidate.run = $run) AND ($hop IS NULL OR candidate.hop = $hop)
  AND ($status IS NULL OR candidate.status = $status)
RETURN properties(candidate) AS candidate
