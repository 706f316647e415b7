// kind: read
// Where an object would close a cycle in the key subgraph of a question (KBE, section 3.2, cycle check): it is a subject
// of the key or the current answer, or else the sample's own graph leads from it back to one. A visual edge from it to
// the answer says where it is seen, and leads nowhere: the helmet rests on the motorcycle. Objects are compared by
// folded name. What is reached grows by an edge a round, so a dense graph does not explode, and there are as many rounds
// as things that an edge leads from, so nothing that can be reached is missed.
// parameter rows: place (a number), question, sample, object (folded name)
// column place: the number of the row; a row without a cycle is left out
// column back: the ids of what the object is or leads back to
UNWIND $rows AS row
MATCH (question:Question {id: row.question})
MATCH (object:Entity {sample: row.sample})
WHERE object.term = row.object
WITH row, question.end AS answer, collect(object.id) AS objects
MATCH (subject:Entity {sample: row.sample})-[key:KEY]->(:Entity)
WHERE key.question = row.question
WITH row, answer, objects, collect(DISTINCT subject.id) + answer AS chain
OPTIONAL MATCH (subject:Entity {sample: row.sample})-[edge:VISUAL|TEXTUAL {hop: 0}]->(other:Entity)
WHERE NOT (type(edge) = "VISUAL" AND other.id = answer AND subject.id IN objects)
WITH row, objects, chain, collect(DISTINCT subject.id) AS subjects, collect([subject.id, other.id]) AS edges
WITH row, objects, chain, edges,
  CASE WHEN any(id IN objects WHERE id IN chain) THEN [] ELSE subjects END AS rounds
WITH row, chain, reduce(reached = objects, round IN rounds |
  reached + [edge IN edges WHERE edge[0] IN reached AND NOT edge[1] IN reached | edge[1]]) AS reached
WITH row.place AS place, [id IN chain WHERE id IN reached] AS back
WHERE size(back) > 0
RETURN place, back
