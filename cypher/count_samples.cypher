// kind: read
// Samples by benchmark, status and reason.
// column status: loaded, extracted or dropped
// column reason: why it was dropped
// column count: how many
MATCH (sample:Sample)
RETURN sample.status AS status, sample.reason AS reason, count(*) AS count
ORDER BY status, reason
