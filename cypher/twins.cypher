// kind: query
// about: paths
// example: id=demo/demo/107438-country@demo-0/2
// Pictures that a question's twin may be on, nearest first: those that show the things that its key starts with, then
// those that share most of its sample's graph, both things and relations to them. The same picture is never one.
// parameter id: the question's id
// parameter limit = 25: maximum number of rows
// column sample: the sample of the other picture
// column about: how many of the things that the key starts with it shows
// column things: how many things of the sample's graph it shows
// column relations: how many relations to a thing they share
MATCH (question:Question {id: $id})
MATCH (own:Sample {id: question.sample})
MATCH (subject:Entity {sample: own.id})
WITH question, own, collect(subject) AS subjects
UNWIND subjects AS subject
MATCH (subject)-[edge:VISUAL|KEY]->(object:Entity)
WITH own, subject, edge, object,
  type(edge) = 'KEY' AND edge.question = question.id AND edge.position < question.difficulty - question.hop AS is_key
WITH own, collect(DISTINCT CASE WHEN is_key THEN object.term END) AS asked,
  collect(DISTINCT CASE WHEN type(edge) = 'VISUAL' THEN object.term END) AS things,
  collect(DISTINCT CASE WHEN type(edge) = 'VISUAL' THEN edge.relation + '|' + object.term END) AS relations
UNWIND asked AS name
MATCH (:Term {name: name})<-[:IS]-(like:Entity)
WITH own, things, relations, like.sample AS other, count(DISTINCT name) AS about
MATCH (sample:Sample {id: other})
WHERE other <> own.id AND CASE WHEN own.image_id = '' THEN sample.image <> own.image ELSE sample.image_id <> own.image_id END
MATCH (subject:Entity {sample: other})-[edge:VISUAL]->(object:Entity)
WITH other, about, count(DISTINCT CASE WHEN object.term IN things THEN object.term END) AS things,
  count(DISTINCT CASE WHEN edge.relation + '|' + object.term IN relations THEN edge.relation + '|' + object.term END)
  AS relations
RETURN other AS sample, about, things, relations
ORDER BY about DESC, things + relations DESC, sample
LIMIT $limit
