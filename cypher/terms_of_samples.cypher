// kind: read
// The terms that the entities of samples are linked to.
// parameter samples: sample ids
// column id: a term's name
UNWIND $samples AS sample
MATCH (:Entity {sample: sample})-[:IS]->(term:Term)
RETURN DISTINCT term.name AS id
ORDER BY id
