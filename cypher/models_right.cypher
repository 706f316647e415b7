// kind: read
// reads: every answer of a model
// How many models answered each question with its picture and were judged, and how many of them were right at least once.
// column question: the question's id
// column models: how many models
// column right: how many of them were right
MATCH (model:Model)-[answered:ANSWERED]->(question:Question)
WHERE answered.variant = 'image' AND answered.verdict <> ''
WITH question, model, max(CASE WHEN answered.verdict = 'right' THEN 1 ELSE 0 END) AS right
RETURN question.id AS question, count(*) AS models, sum(right) AS right
