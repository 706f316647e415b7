// kind: query
// about: models
// reads: every answer of a model
// Error rate of models by the sources of the triplets in the keys of questions. A question counts once per source of
// its key, however often it was asked. Only answers with a verdict count, separately for each judge.
// parameter limit = 25: maximum number of rows
// parameter run = null: only questions of this run
// parameter judge = null: only verdicts of this judge
// parameter variant = "image": variant of the answers
// column model: the model
// column judge: the judge
// column source: the source
// column answers: how many answers to questions with it in their key
// column wrong: how many of them are wrong
// column error_rate: the share, in per cent
MATCH (model:Model)-[answered:ANSWERED]->(question:Question)
WHERE answered.variant = $variant AND answered.verdict <> '' AND ($run IS NULL OR question.run = $run)
UNWIND [answered.judge + ': ' + answered.verdict] + coalesce(answered.other_verdicts, []) AS said
WITH model, question, answered.id AS id, left(said, size(said) - 7) AS judge, right(said, 5) AS verdict
WHERE $judge IS NULL OR judge = $judge
MATCH (subject:Entity {sample: question.sample})-[key:KEY]->(object:Entity)
WHERE key.question = question.id
WITH DISTINCT model.name AS model, coalesce(key.source, '') AS source, id, judge, verdict
WITH model, judge, source, count(*) AS answers, sum(CASE WHEN verdict = 'wrong' THEN 1 ELSE 0 END) AS wrong
RETURN model, judge, source, answers, wrong, round(1000.0 * wrong / answers) / 10 AS error_rate
ORDER BY answers DESC, model, judge, source
LIMIT $limit
