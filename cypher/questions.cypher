// kind: read
// Questions of all runs and samples.
// parameter hop: a hop, which has no twins, or null for all
// parameter status: kept or dropped, or null for both
// column question: the properties of the node
MATCH (question:Question)
WHERE ($hop IS NULL OR (question.hop = $hop AND question.kind <> 'twin'))
  AND ($status IS NULL OR question.status = $status)
RETURN properties(question) AS question
