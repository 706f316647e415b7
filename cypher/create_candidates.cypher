// kind: write
// Makes the candidates that were considered for questions, which have none, each with its link to the question.
// Each property is named, because an engine writes what is set afterwards a second time.
// parameter rows: id, properties
UNWIND $rows AS row
MATCH (question:Question {id: row.properties.question})
CREATE (:Candidate {
  id: row.id, question: row.properties.question, sample: row.properties.sample, run: row.properties.run,
  hop: row.properties.hop, position: row.properties.position, relation: row.properties.relation,
  object: row.properties.object, object_id: row.properties.object_id, status: row.properties.status,
  reason: row.properties.reason, detail: row.properties.detail, source: row.properties.source,
  source_ref: row.properties.source_ref, faulty: row.properties.faulty, subject: row.properties.subject,
  type: row.properties.type, grounding: row.properties.grounding
})-[:FOR]->(question)
