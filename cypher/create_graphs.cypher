// kind: write
// Makes the graphs of samples that have none: entities with their terms, the root, and both kinds of triplets.
// What hangs on a sample alone is made without a look at what is there, its edges find their ends in the row, and each
// property is named, because an engine writes what is set afterwards a second time.
// Entities, links and triplets are lists, because names of properties would be most of what is sent. An entity: id,
// term, name, number, noun, concept, type. A link: its entity, the name of its term. A triplet: subject, object, id,
// position, draw, relation, source, source_ref, evidence. Entities are told by their place in the row.
// parameter rows: id (sample id), entities, links (entity to term), visual, textual, roots (the place of IMAGE)
// column samples: how many got their graph
UNWIND $rows AS row
MATCH (sample:Sample {id: row.id})
CALL (row) {
  UNWIND row.entities AS own
  CREATE (entity:Entity {
    id: own[0], sample: row.id, term: own[1], name: own[2], number: own[3], noun: own[4], concept: own[5], type: own[6],
    kind: own[7]
  })
  RETURN collect(entity) AS entities
}
CALL (row, entities) {
  UNWIND row.links AS own
  WITH entities[own[0]] AS entity, own
  MATCH (term:Term {name: own[1]})
  CREATE (entity)-[:IS]->(term)
  RETURN count(*) AS links
}
CALL (row, entities) {
  UNWIND row.visual AS own
  WITH row, entities[own[0]] AS subject, entities[own[1]] AS object, own
  CREATE (subject)-[:VISUAL {
    id: own[2], sample: row.id, hop: 0, run: '', question: '', position: own[3], draw: own[4],
    relation: own[5], source: own[6], source_ref: own[7], evidence: own[8]
  }]->(object)
  RETURN count(*) AS visual
}
CALL (row, entities) {
  UNWIND row.textual AS own
  WITH row, entities[own[0]] AS subject, entities[own[1]] AS object, own
  CREATE (subject)-[:TEXTUAL {
    id: own[2], sample: row.id, hop: 0, run: '', question: '', position: own[3], draw: own[4],
    relation: own[5], source: own[6], source_ref: own[7], evidence: own[8]
  }]->(object)
  RETURN count(*) AS textual
}
UNWIND row.roots AS root
WITH sample, entities[root] AS image
CREATE (sample)-[:ROOT]->(image)
RETURN count(*) AS samples
