// kind: query
// about: runs
// reads: every sample and question
// Dropped samples and questions, by reason.
// column run: the run, empty for samples
// column hop: the hop, nothing for samples
// column reason: the reason
// column dropped: how many
CALL () {
  MATCH (sample:Sample {status: 'dropped'})
  RETURN '' AS run, null AS hop, sample.reason AS reason
  UNION ALL
  MATCH (question:Question {status: 'dropped'})
  RETURN question.run AS run, question.hop AS hop, question.reason AS reason
}
RETURN run, hop, reason, count(*) AS dropped
ORDER BY run, hop, dropped DESC, reason
