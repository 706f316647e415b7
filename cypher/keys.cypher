// kind: read
// The key edges of the questions of samples.
// parameter samples: sample ids
// parameter run: a run's name, or null for all
// parameter hop: a hop, or null for all
// column question: the question's id
// column edges: each as a list, received many times faster than a row an edge: the triplet, and the ids of its ends
UNWIND $samples AS sample
MATCH (subject:Entity {sample: sample})-[key:KEY]->(object:Entity)
WHERE ($run IS NULL OR key.run = $run) AND ($hop IS NULL OR key.hop = $hop)
RETURN key.question AS question, collect([
  [
    key.graph, key.position, key.relation, key.source, key.source_ref, key.evidence,
    subject.name, subject.number, subject.noun, subject.concept, key.name, object.number, key.noun, key.concept
  ],
  subject.id, object.id
]) AS edges
