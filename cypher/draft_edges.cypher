// kind: read
// The triplets of the drafts of samples in a run.
// parameter samples: sample ids
// parameter run: a run's name
// column draft: the draft's id
// column edge: the triplet as a list, as in keys
// column subject: the id of the entity that it leaves
// column object: the id of the entity that it enters
// column word: what the object must end with, empty for any
// column seen: whether the object is a thing that the picture shows
// column number: the number in its name, if numbers are compared
// column rival: whether it is no part of the key
UNWIND $samples AS sample
MATCH (subject:Entity {sample: sample})-[edge:DRAFT]->(object:Entity)
WHERE edge.run = $run
RETURN edge.draft AS draft, [
  edge.graph, edge.position, edge.relation, edge.source, edge.source_ref, edge.evidence,
  subject.name, subject.number, subject.noun, subject.concept, object.name, object.number, object.noun, object.concept
] AS edge, subject.id AS subject, object.id AS object, edge.word AS word, edge.seen AS seen, edge.number AS number,
  edge.rival AS rival
