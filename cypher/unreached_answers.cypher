// kind: query
// about: paths
// reads: every key
// Kept questions whose answer cannot be reached from the image along their key. There must be none.
// parameter limit = 25: maximum number of rows
// column id: the question's id
// column question: its text
// column answer: its answer
// column edges: the number of its key edges
MATCH (question:Question {status: 'kept'})
OPTIONAL MATCH (subject:Entity {sample: question.sample})-[key:KEY]->(object:Entity)
WHERE key.question = question.id
WITH question, collect([subject.id, object.id]) AS edges
WITH question, edges, reduce(reached = [question.sample + '|image'], step IN range(1, size(edges)) | reached +
  [edge IN edges WHERE edge[0] IN reached AND NOT edge[1] IN reached | edge[1]]) AS reached
WHERE NOT question.end IN reached
RETURN question.id AS id, question.text AS question, question.answer AS answer, question.difficulty AS edges
ORDER BY id
LIMIT $limit
