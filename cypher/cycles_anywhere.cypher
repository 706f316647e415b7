// kind: query
// about: paths
// reads: every key
// Entities that a key path leads back to. There must be none. The search grows by one edge per round and runs as
// many rounds as there are subjects of key edges, so it finds cycles of any length.
// parameter limit = 25: maximum number of rows
// column question: the question's id
// column entity: the entity
MATCH (subject:Entity)-[key:KEY]->(object:Entity)
WITH key.question AS question, collect(DISTINCT subject) AS subjects, collect([subject.id, object.id]) AS edges
UNWIND subjects AS subject
WITH question, subject, edges, reduce(state = [[subject.id], []], round IN subjects | [
  [edge IN edges WHERE edge[0] IN state[0] AND NOT edge[1] IN state[1] | edge[1]], state[1] + state[0]]) AS state
WHERE any(edge IN edges WHERE edge[1] = subject.id AND edge[0] IN state[1])
RETURN question, subject.name AS entity
ORDER BY question, entity
LIMIT $limit
