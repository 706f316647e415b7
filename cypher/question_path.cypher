// kind: query
// about: paths
// example: id=demo/demo/107438-country@demo-0/2
// The key path of a question: the triplets that its answer follows from, with their sources.
// parameter id: the question's id
// column position: the place in the path
// column subject: the subject
// column relation: the relation
// column object: the object
// column graph: visual or textual
// column source: where it came from
// column source_ref: the place in the source
MATCH (question:Question {id: $id})
MATCH (subject:Entity {sample: question.sample})-[key:KEY]->(object:Entity)
WHERE key.question = question.id
RETURN key.position AS position, subject.name AS subject, key.relation AS relation, key.name AS object,
  key.graph AS graph, key.source AS source, key.source_ref AS source_ref
ORDER BY position
