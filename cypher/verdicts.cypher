// kind: read
// What second opinions said of the candidates of runs, where they were asked.
// parameter names: the runs
// parameter most: the last hop that counts
// column subject: the subject of the triplet
// column relation: its relation
// column object: its object
// column ok: whether the opinion was that it is true and the one right object
MATCH (candidate:Candidate)
WHERE candidate.run IN $names AND candidate.hop <= $most
  AND (candidate.detail = 'verified' OR candidate.detail STARTS WITH 'verified; ' OR candidate.reason = 'not verified')
RETURN DISTINCT candidate.subject AS subject, candidate.relation AS relation, candidate.object AS object,
  candidate.reason <> 'not verified' AS ok
ORDER BY subject, relation, object, ok
