// kind: query
// about: duplicates
// reads: every question of the benchmark
// Questions of the benchmark about the same image with the same answer, in any wording.
// parameter limit = 25: maximum number of rows
// column image: the image's number in its collection
// column answer: the folded answer
// column samples: how many samples
// column questions: their questions
MATCH (question:Question {run: 'raw'})-[:OF]->(sample:Sample)
WHERE sample.image_id <> ''
WITH sample.image_id AS image, question.answer_term AS answer, question.text AS text, sample.id AS id
ORDER BY id
WITH image, answer, collect(text) AS questions
WHERE size(questions) > 1
RETURN image, answer, size(questions) AS samples, questions
ORDER BY samples DESC, image, answer
LIMIT $limit
