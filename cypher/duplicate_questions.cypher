// kind: query
// about: duplicates
// reads: every question
// Kept questions of different samples with the same words and the same answer.
// parameter limit = 25: maximum number of rows
// column question: the words, in small letters
// column answer: the folded answer
// column samples: of how many samples
// column questions: how many questions, those of several runs counted each
// column first: the first of them by id
MATCH (question:Question {status: 'kept'})
WITH toLower(trim(question.text)) AS text, question.answer_term AS answer, count(DISTINCT question.sample) AS samples,
  count(*) AS questions, min(question.id) AS first
WHERE samples > 1
RETURN text AS question, answer, samples, questions, first
ORDER BY samples DESC, question, answer
LIMIT $limit
