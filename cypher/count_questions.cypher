// kind: read
// Questions of runs by hop, kind, status and reason.
// parameter run: the run's name, or null for all
// column run: the run's name
// column hop: the hop
// column kind: reselected, explored or twin
// column status: kept, dropped, or revised for a version that a reviewer made
// column reason: why it was dropped
// column count: how many
MATCH (question:Question)
WHERE question.run <> 'raw' AND ($run IS NULL OR question.run = $run)
RETURN question.run AS run, question.hop AS hop, question.kind AS kind, question.status AS status,
  question.reason AS reason, count(*) AS count
ORDER BY run, hop, kind, status, reason
