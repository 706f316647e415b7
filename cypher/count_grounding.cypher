// kind: read
// How many candidates that a model proposed are grounded, contradicted or unsupported by known facts, by run.
// parameter run = null: one run only
// column run: the run
// column grounding: what known facts say of the candidate
// column taken: whether the candidate became a question
// column count: how many
MATCH (candidate:Candidate)
WHERE ($run IS NULL OR candidate.run = $run) AND candidate.grounding <> ''
RETURN candidate.run AS run, candidate.grounding AS grounding, candidate.status = 'kept' AS taken, count(*) AS count
ORDER BY run, grounding, taken
