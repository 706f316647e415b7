// kind: write
// Takes samples out of the graph; their entities and questions are taken out before.
// parameter samples: sample ids
UNWIND $samples AS id
MATCH (sample:Sample {id: id})
DETACH DELETE sample
