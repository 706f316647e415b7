// kind: read
// The own triplets of samples, visual and textual, explored ones left out.
// parameter samples: sample ids
// column sample: the sample's id
// column id: the edge's id
// column graph: visual or textual
// column position: its place in its graph
// column relation: the relation
// column source: the kind of source it came from
// column source_ref: the place in the source
// column evidence: the words it was read from
// column subject: name, number, noun and concept of the subject
// column object: the same of the object
UNWIND $samples AS sample
MATCH (subject:Entity {sample: sample})-[edge:VISUAL|TEXTUAL {hop: 0}]->(object:Entity)
RETURN sample, edge.id AS id, toLower(type(edge)) AS graph, edge.position AS position, edge.relation AS relation,
  edge.source AS source, edge.source_ref AS source_ref, edge.evidence AS evidence,
  [subject.name, subject.number, subject.noun, subject.concept] AS subject,
  [object.name, object.number, object.noun, object.concept] AS object
