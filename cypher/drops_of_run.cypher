// kind: query
// about: runs
// example: run=demo-0
// Questions and candidates that a run dropped, by reason, with one example each.
// parameter run: the run's name
// column what: question or candidate
// column hop: the hop
// column reason: the reason
// column dropped: how many
// column example: the first of them: a question's text, a candidate's relation and object
CALL () {
  MATCH (question:Question {run: $run})
  WHERE question.status = 'dropped'
  RETURN 'question' AS what, question.hop AS hop, question.reason AS reason, question.text AS example
  UNION ALL
  MATCH (candidate:Candidate {run: $run})
  WHERE candidate.status = 'dropped'
  RETURN 'candidate' AS what, candidate.hop AS hop, candidate.reason AS reason,
    candidate.relation + ' -> ' + candidate.object AS example
}
RETURN what, hop, reason, count(*) AS dropped, min(example) AS example
ORDER BY what, hop, dropped DESC, reason
