// kind: write
// Makes the graphs of samples that have none: entities with their terms, the root, and both kinds of triplets.
// What hangs on a sample alone is made without a look at what is there, its edges find their ends in the row, and each
// property is named, because an engine writes what is set afterwards a second time.
// Ends are told by their place among the entities of the row.
// parameter rows: id (sample id), entities, links (entity to term), visual, textual, roots (the place of IMAGE)
// column samples: how many got their graph
UNWIND $rows AS row
MATCH (sample:Sample {id: row.id})
CALL (row) {
  UNWIND row.entities AS own
  CREATE (entity:Entity {
    id: own.id, sample: own.properties.sample, term: own.properties.term, name: own.properties.name,
    number: own.properties.number, noun: own.properties.noun, concept: own.properties.concept, type: own.properties.type
  })
  RETURN collect(entity) AS entities
}
CALL (row, entities) {
  UNWIND row.links AS own
  WITH entities[own.subject] AS entity, own
  MATCH (term:Term {name: own.object})
  CREATE (entity)-[:IS]->(term)
  RETURN count(*) AS links
}
CALL (row, entities) {
  UNWIND row.visual AS own
  WITH entities[own.subject] AS subject, entities[own.object] AS object, own
  CREATE (subject)-[:VISUAL {
    id: own.id, sample: own.properties.sample, hop: own.properties.hop, run: own.properties.run,
    question: own.properties.question, position: own.properties.position, draw: own.properties.draw,
    relation: own.properties.relation, source: own.properties.source, source_ref: own.properties.source_ref,
    evidence: own.properties.evidence
  }]->(object)
  RETURN count(*) AS visual
}
CALL (row, entities) {
  UNWIND row.textual AS own
  WITH entities[own.subject] AS subject, entities[own.object] AS object, own
  CREATE (subject)-[:TEXTUAL {
    id: own.id, sample: own.properties.sample, hop: own.properties.hop, run: own.properties.run,
    question: own.properties.question, position: own.properties.position, draw: own.properties.draw,
    relation: own.properties.relation, source: own.properties.source, source_ref: own.properties.source_ref,
    evidence: own.properties.evidence
  }]->(object)
  RETURN count(*) AS textual
}
UNWIND row.roots AS root
WITH sample, entities[root] AS image
CREATE (sample)-[:ROOT]->(image)
RETURN count(*) AS samples
