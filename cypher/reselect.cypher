// kind: read
// The longest simple paths from IMAGE in the visual and textual graph of a sample that end in a noun, one for each end,
// longest first (KBE, section 3.2). The old key and the old answer are left out. Ties are drawn with a seed: every edge
// carries a number made from its id, so the draw is the same on every engine.
// The bound 1..10 is set by the reader, because a bound cannot be a parameter.
// parameter samples: sample ids
// parameter seed: a whole number below 1000003
// parameter most: the most paths of a sample
// column sample: the sample's id
// column paths: each a list of graph and id of its edges, in order from IMAGE
UNWIND $samples AS id
MATCH (sample:Sample {id: id})-[:ROOT]->(image:Entity)
MATCH (raw:Question {id: id + '@raw/0'})
CALL (raw) {
  MATCH (:Entity {sample: raw.sample})-[key:KEY {question: raw.id}]->(:Entity)
  RETURN collect(key.graph + ' ' + key.triplet) AS old
}
CALL (image, raw, old) {
  MATCH path = (image)-[:VISUAL|TEXTUAL*1..10 {hop: 0}]->(end:Entity)
  WHERE end.noun AND end.id <> raw.end AND end.term <> raw.answer_term
    AND all(node IN nodes(path) WHERE single(other IN nodes(path) WHERE other = node))
  WITH end, [edge IN relationships(path) | toLower(type(edge)) + ' ' + edge.id] AS ids,
    reduce(draw = $seed, edge IN relationships(path) | (draw * 31 + edge.draw * ($seed + 1)) % 1000003) AS draw
  WHERE NOT (size(ids) = size(old) AND all(id IN ids WHERE id IN old))
  WITH end, ids, draw
  ORDER BY size(ids) DESC, draw, ids
  WITH end, collect(ids)[0] AS ids, collect(draw)[0] AS draw
  ORDER BY size(ids) DESC, draw, ids
  LIMIT $most
  RETURN collect(ids) AS paths
}
RETURN sample.id AS sample, paths
