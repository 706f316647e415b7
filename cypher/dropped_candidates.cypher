// kind: read
// Candidates that a run dropped, in the order of their ids.
// parameter run: the run's name
// parameter reason: the reason, or null for all
// parameter hop: the hop, or null for all
// parameter after = "": the id that they come after
// parameter most: the most candidates
// column candidate: the properties of the node
MATCH (candidate:Candidate {run: $run})
WHERE candidate.status = 'dropped' AND candidate.id > $after AND ($reason IS NULL OR candidate.reason = $reason)
  AND ($hop IS NULL OR candidate.hop = $hop)
RETURN properties(candidate) AS candidate
ORDER BY candidate.id
LIMIT $most
