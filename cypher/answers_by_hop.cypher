// kind: query
// about: the benchmark
// reads: every question
// The most frequent final answers, by hop.
// parameter limit = 25: maximum number of rows
// parameter hop (number) = null: only this hop
// column hop: the hop
// column answer: the folded answer
// column questions: how many
MATCH (question:Question {status: 'kept'})
WHERE $hop IS NULL OR question.hop = $hop
RETURN question.hop AS hop, question.answer_term AS answer, count(*) AS questions
ORDER BY questions DESC, hop, answer
LIMIT $limit
