// kind: query
// about: paths
// reads: every key
// Shapes of keys (the relations from the image to the answer) by number of questions.
// parameter limit = 25: maximum number of rows
// column shape: the relations in their order
// column questions: how many questions, kept or dropped, have such a key
// column samples: of how many samples
// column first: the first of the questions by id
MATCH (:Entity)-[key:KEY]->(:Entity)
WITH key.question AS question, key.sample AS sample, key.relation AS relation, key.position AS position
ORDER BY question, position
WITH question, sample, collect(relation) AS shape
RETURN shape, count(*) AS questions, count(DISTINCT sample) AS samples, min(question) AS first
ORDER BY questions DESC, first
LIMIT $limit
