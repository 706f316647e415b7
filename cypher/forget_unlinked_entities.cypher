// kind: write
// Takes those entities of samples out of the graph that no triplet, no key and no sample names any more.
// parameter samples: sample ids
UNWIND $samples AS sample
MATCH (entity:Entity {sample: sample})
WHERE NOT EXISTS { (entity)-[:VISUAL|TEXTUAL|KEY|ROOT|DRAFT]-() }
DETACH DELETE entity
