// kind: read
// The own triplets of samples, visual and textual, explored ones left out.
// parameter samples: sample ids
// column sample: the sample's id
// column edges: each as a list, which is received many times faster than a row for each edge
UNWIND $samples AS sample
MATCH (subject:Entity {sample: sample})-[edge:VISUAL|TEXTUAL {hop: 0}]->(object:Entity)
RETURN sample, collect([
  toLower(type(edge)), edge.position, edge.relation, edge.source, edge.source_ref, edge.evidence,
  subject.name, subject.number, subject.noun, subject.concept, object.name, object.number, object.noun, object.concept
]) AS edges
