// kind: query
// about: sources
// reads: every run
// Sources and relations of the facts that kept questions add at each hop.
// parameter limit = 25: maximum number of rows
// parameter run = null: only this run
// column hop: the hop
// column source: the source
// column relation: the relation
// column questions: how many
MATCH (run:Run)
WHERE $run IS NULL OR run.name = $run
MATCH (candidate:Candidate {run: run.name})
WHERE candidate.status = 'kept'
RETURN candidate.hop AS hop, candidate.source AS source, candidate.relation AS relation, count(*) AS questions
ORDER BY hop, questions DESC, source, relation
LIMIT $limit
