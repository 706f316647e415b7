// kind: query
// about: paths
// reads: every question
// Kept questions with the most key edges, the hardest by the paper's measure.
// parameter limit = 25: maximum number of rows
// column id: the question's id
// column edges: the number of key edges
// column question: its text
// column answer: its answer
MATCH (question:Question {status: 'kept'})
RETURN question.id AS id, question.difficulty AS edges, question.text AS question, question.answer AS answer
ORDER BY edges DESC, id
LIMIT $limit
