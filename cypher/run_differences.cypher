// kind: query
// about: runs
// example: run=demo-0 other=raw
// Differences between two runs: questions of the same sample and hop with different words, or that only one run has.
// parameter run: a run's name
// parameter other: another run's name; raw for the benchmark's own questions
// parameter limit = 25: maximum number of rows
// column sample: the sample's id
// column hop: the hop
// column question: what the run asks, empty where it asks nothing
// column answer: its answer
// column other_question: what the other run asks, empty where it asks nothing
// column other_answer: its answer
CALL () {
  MATCH (question:Question {run: $run, status: 'kept'})
  OPTIONAL MATCH (twin:Question {id: question.sample + '@' + $other + '/' + toString(question.hop)})
  WHERE twin.status = 'kept'
  WITH question, twin
  WHERE twin IS NULL OR twin.text <> question.text
  RETURN question.sample AS sample, question.hop AS hop, question.text AS question, question.answer AS answer,
    coalesce(twin.text, '') AS other_question, coalesce(twin.answer, '') AS other_answer
  UNION ALL
  MATCH (question:Question {run: $other, status: 'kept'})
  OPTIONAL MATCH (twin:Question {id: question.sample + '@' + $run + '/' + toString(question.hop)})
  WHERE twin.status = 'kept'
  WITH question, twin
  WHERE twin IS NULL
  RETURN question.sample AS sample, question.hop AS hop, '' AS question, '' AS answer, question.text AS other_question,
    question.answer AS other_answer
}
RETURN sample, hop, question, answer, other_question, other_answer
ORDER BY sample, hop
LIMIT $limit
