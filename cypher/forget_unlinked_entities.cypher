// kind: write
// Takes those entities of samples out of the graph that no triplet and no key names any more.
// parameter samples: sample ids
UNWIND $samples AS sample
MATCH (entity:Entity {sample: sample})
WHERE NOT EXISTS { (entity)-[:VISUAL|TEXTUAL|KEY]-(:Entity) } AND NOT EXISTS { (:Sample)-[:ROOT]->(entity) }
DETACH DELETE entity
