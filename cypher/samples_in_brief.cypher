// kind: read
// All samples with their own question.
// column sample: id, question, answer, status and the reason of a dropped one, as a list
MATCH (sample:Sample)
RETURN [sample.id, sample.question, sample.answer, sample.status, sample.reason] AS sample
