// kind: read
// How many ways lead from IMAGE within a number of edges, counted up to a limit: it tells where a search would explode.
// The bound 1..10 is set by the reader, because a bound cannot be a parameter.
// parameter samples: sample ids
// parameter most: where to stop counting
// column sample: the sample's id
// column trails: the number of ways, each edge taken at most once
UNWIND $samples AS id
MATCH (sample:Sample {id: id})-[:ROOT]->(image:Entity)
CALL (image) {
  MATCH (image)-[:VISUAL|TEXTUAL*1..10 {hop: 0}]->(end)
  WITH end LIMIT $most
  RETURN count(end) AS trails
}
RETURN sample.id AS sample, trails
