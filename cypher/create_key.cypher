// kind: write
// Makes the key edges of questions, which have none.
// Each property is named, because an engine writes what is set afterwards a second time.
// parameter rows: id, subject and object (entity ids), properties
UNWIND $rows AS row
MATCH (subject:Entity {id: row.subject})
MATCH (object:Entity {id: row.object})
CREATE (subject)-[:KEY {
  id: row.id, question: row.properties.question, sample: row.properties.sample, run: row.properties.run,
  hop: row.properties.hop, position: row.properties.position, graph: row.properties.graph,
  triplet: row.properties.triplet, name: row.properties.name, noun: row.properties.noun,
  concept: row.properties.concept, relation: row.properties.relation, source: row.properties.source,
  source_ref: row.properties.source_ref, evidence: row.properties.evidence
}]->(object)
