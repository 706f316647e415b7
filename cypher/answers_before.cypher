// kind: read
// The final answers of the explored questions that a run kept before a hop.
// parameter run: the run's name
// parameter hop: the hop
// column answer: the folded answer
// column questions: how many
MATCH (question:Question {run: $run})
WHERE question.hop > 0 AND question.hop < $hop AND question.status = 'kept'
RETURN question.answer_term AS answer, count(*) AS questions
