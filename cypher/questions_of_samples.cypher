// kind: read
// Questions of the given samples.
// parameter samples: sample ids
// parameter run: a run's name, or null for all
// parameter hop: a hop, which has no twins, or null for all
// parameter status: kept or dropped, or null for both
// column question: the properties of the node
UNWIND $samples AS sample
MATCH (question:Question {sample: sample})
WHERE ($run IS NULL OR question.run = $run)
  AND ($hop IS NULL OR (question.hop = $hop AND question.kind <> 'twin'))
  AND ($status IS NULL OR question.status = $status)
RETURN properties(question) AS question
