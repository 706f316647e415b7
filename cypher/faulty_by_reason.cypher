// kind: query
// about: runs
// reads: every run
// Candidates by the reason they were dropped for (empty if they passed), with the number that known facts can
// measure, and how many of those would make a faulty question.
// parameter run = null: the run's name, or null for all
// column run: the run's name
// column reason: the reason, empty for those that passed
// column candidates: how many
// column measured: of how many it is told: not of facts that a model proposes
// column faulty: how many of them fail a check: several answers, image not needed, hop not needed
MATCH (run:Run)
WHERE $run IS NULL OR run.name = $run
MATCH (candidate:Candidate {run: run.name})
RETURN candidate.run AS run, candidate.reason AS reason, count(*) AS candidates,
  count(candidate.faulty) AS measured,
  sum(CASE WHEN candidate.faulty THEN 1 ELSE 0 END) AS faulty
ORDER BY run, candidates DESC, reason
