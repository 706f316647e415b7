// kind: query
// about: models
// reads: every answer of a model
// Accuracy of models on the raw questions and those of each run, by hop. A question counts once, as the mean of its
// answers. Only answers with a verdict count, separately for each judge; errata are not applied.
// parameter limit = 25: maximum number of rows
// parameter run = null: only questions of this run
// parameter variant = "image": variant of the answers
// column run: the questions' run
// column model: the model
// column judge: the judge
// column hop: the hop
// column kind: the kind of the questions
// column questions: how many were judged
// column accuracy: the share right, in per cent
MATCH (model:Model)-[answered:ANSWERED]->(question:Question)
WHERE answered.variant = $variant AND answered.verdict <> '' AND ($run IS NULL OR question.run = $run)
UNWIND [answered.judge + ': ' + answered.verdict] + coalesce(answered.other_verdicts, []) AS said
WITH model.name AS model, question, left(said, size(said) - 7) AS judge, right(said, 5) AS verdict
WITH model, question, judge, avg(CASE WHEN verdict = 'right' THEN 100.0 ELSE 0.0 END) AS share
RETURN question.run AS run, model, judge, question.hop AS hop, question.kind AS kind, count(*) AS questions,
  round(10 * avg(share)) / 10 AS accuracy
ORDER BY run, model, judge, hop, kind DESC
LIMIT $limit
