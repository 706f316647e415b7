// kind: read
// What was recognised in the pictures of samples.
// parameter samples: sample ids
// column identity: the properties of the node
UNWIND $samples AS sample
MATCH (identity:Identity {sample: sample})
RETURN properties(identity) AS identity
