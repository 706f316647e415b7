// kind: read
// The longest simple paths from IMAGE in the visual and textual graph of a sample that end in a noun, one for each end,
// longest first (KBE, section 3.2). Ways to the old answer, and with them the old key, are left out. Ties are drawn with a
// seed: every edge carries a number made from its id, so the draw is the same on every engine.
// The bound 1..10 is set by the reader, because a bound cannot be a parameter.
// parameter samples: sample ids
// parameter seed: a whole number below 1000003
// parameter trails: how many ways to look at; where a sample has as many, its paths are not all, and mean nothing
// parameter most: the most paths of a sample
// column sample: the sample's id
// column trails: how many ways were looked at, each edge taken at most once
// column paths: each the values of its entities, and those of its edges, in order from IMAGE
UNWIND $samples AS id
MATCH (sample:Sample {id: id})-[:ROOT]->(image:Entity)
MATCH (raw:Question {id: id + '@raw/0'})
CALL (image, raw) {
  MATCH path = (image)-[:VISUAL|TEXTUAL*1..10 {hop: 0}]->(end:Entity)
  WITH path, nodes(path) AS nodes, end.noun AND end.id <> raw.end AND end.term <> raw.answer_term AS fits
  LIMIT $trails
  RETURN count(path) AS trails, collect(CASE
    WHEN fits AND all(place IN range(0, size(nodes) - 2) WHERE NOT nodes[place] IN nodes[place + 1..])
    THEN path END) AS ways
}
CALL (ways) {
  UNWIND ways AS path
  WITH last(nodes(path)) AS end, max(length(path)) AS longest, collect(path) AS those
  UNWIND [one IN those WHERE length(one) = longest] AS path
  WITH end, path, 4503599627370449 * longest + reduce(draw = $seed, edge IN relationships(path) |
    (draw * 31 + edge.draw * ($seed + 1)) % 4503599627370449) AS score
  ORDER BY score DESC
  WITH end, collect(path)[0] AS path, max(score) AS score
  ORDER BY score DESC
  LIMIT $most
  RETURN collect([
    [node IN nodes(path) | [node.name, node.number, node.noun, node.concept]],
    [edge IN relationships(path) |
      [edge.relation, toLower(type(edge)), edge.source, edge.source_ref, edge.evidence]]]) AS paths
}
RETURN sample.id AS sample, trails, paths
