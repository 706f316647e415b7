// kind: write
// Locks questions until the transaction ends: another that locks them waits, and then reads what this one wrote.
// parameter ids: question ids
UNWIND $ids AS id
MATCH (question:Question {id: id})
SET question.sample = question.sample
