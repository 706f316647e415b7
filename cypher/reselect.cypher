// kind: read
// The ways from IMAGE in the visual and textual graph of a sample to what may be asked for (KBE, section 3.2): a noun that
// is neither the old answer nor the end of the old key. A way takes each edge at most once.
// An edge is told by its draw, the number made from its graph and id that ties are drawn with, so that a row is small; the
// reader leaves out what comes to a place twice, and takes the longest to each end.
// The bound 1..10 is set by the reader, because a bound cannot be a parameter.
// parameter samples: sample ids
// parameter trails: how many ways to look at; where a sample has as many, not all were seen, and none is given
// column sample: the sample's id
// column trails: how many ways were looked at, whatever they lead to
// column ways: each the draws of its edges, in order from IMAGE
UNWIND $samples AS id
MATCH (sample:Sample {id: id})-[:ROOT]->(image:Entity)
MATCH (raw:Question {id: id + '@raw/0'})
CALL (image, raw) {
  MATCH path = (image)-[:VISUAL|TEXTUAL*1..10 {hop: 0}]->(end:Entity)
  WITH path, end.noun AND end.id <> raw.end AND end.term <> raw.answer_term AS fits
  LIMIT $trails
  RETURN count(path) AS trails, collect(CASE WHEN fits THEN [edge IN relationships(path) | edge.draw] END) AS ways
}
RETURN sample.id AS sample, trails, CASE WHEN trails < $trails THEN ways END AS ways
