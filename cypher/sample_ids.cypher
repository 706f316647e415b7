// kind: read
// The ids of samples of a status.
// parameter status: loaded, extracted or dropped
// column sample: the sample's id
MATCH (sample:Sample {status: $status})
RETURN sample.id AS sample
