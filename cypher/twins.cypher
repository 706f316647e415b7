// kind: query
// about: paths
// example: id=demo/demo/107438-country@demo-0/2
// Pictures that a question's twin may be on, nearest first: those of which most of what its key sees may hold, then those
// that share most of its sample's graph, both things and relations to them. The same picture is never one.
// A triplet may hold where the picture shows a thing of its object's kind (a BLACK DOG for a DOG), or tells the same
// relation of a thing of its subject's kind. All but one do: what is recognised may not be in the other graph yet. What a
// thing there depicts (a face on an umbrella) is not shown itself.
// parameter id: the question's id
// parameter limit = 25: maximum number of rows
// column sample: the sample of the other picture
// column about: how many of the key's visual triplets may hold there
// column things: how many things of the sample's graph it shows
// column relations: how many relations to a thing they share
MATCH (question:Question {id: $id})
MATCH (own:Sample {id: question.sample})
MATCH (subject:Entity {sample: own.id})
WITH question, own, collect(subject) AS subjects
UNWIND subjects AS subject
MATCH (subject)-[edge:VISUAL|KEY]->(object:Entity)
WITH own, subject, edge, object,
  type(edge) = 'KEY' AND edge.question = question.id AND edge.graph = 'visual' AS is_key
WITH own, collect(DISTINCT CASE WHEN is_key THEN [subject.kind, edge.relation, object.kind] END) AS key,
  collect(DISTINCT CASE WHEN type(edge) = 'VISUAL' THEN object.term END) AS things,
  collect(DISTINCT CASE WHEN type(edge) = 'VISUAL' THEN edge.relation + '|' + object.term END) AS relations
UNWIND key AS asked
MATCH (like:Entity {kind: asked[2]})
WITH DISTINCT own, key, things, relations, like.sample AS other
MATCH (sample:Sample {id: other})
WHERE other <> own.id AND CASE WHEN own.image_id = '' THEN sample.image <> own.image ELSE sample.image_id <> own.image_id END
MATCH (subject:Entity {sample: other})-[edge:VISUAL]->(object:Entity)
WITH other, key, collect(DISTINCT CASE WHEN subject.kind = 'image' OR edge.relation <> 'depicts' THEN object.kind END) AS kinds,
  collect(DISTINCT [subject.kind, edge.relation]) AS told,
  count(DISTINCT CASE WHEN object.term IN things THEN object.term END) AS things,
  count(DISTINCT CASE WHEN edge.relation + '|' + object.term IN relations THEN edge.relation + '|' + object.term END)
  AS relations
WITH other, things, relations, size(key) AS all,
  size([k IN key WHERE k[2] IN kinds OR (k[0] <> 'image' AND [k[0], k[1]] IN told)]) AS about
WHERE about >= all - 1
RETURN other AS sample, about, things, relations
ORDER BY about DESC, things + relations DESC, sample
LIMIT $limit
