// kind: read
// The samples with the given ids, as far as they are there.
// parameter ids: sample ids
// column sample: the properties of the node
UNWIND $ids AS id
MATCH (sample:Sample {id: id})
RETURN properties(sample) AS sample
