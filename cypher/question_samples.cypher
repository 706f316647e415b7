// kind: read
// The samples that have a question of a run, without the questions themselves.
// parameter run: the run's name
// parameter hop: a hop
// parameter status: kept or dropped, or null for both
// parameter noun: whether the question's answer is a noun, or null for both
// column sample: the sample's id
MATCH (question:Question {run: $run})
WHERE question.hop = $hop AND question.kind <> 'twin'
  AND ($status IS NULL OR question.status = $status) AND ($noun IS NULL OR question.noun = $noun)
RETURN question.sample AS sample
