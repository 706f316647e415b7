// kind: query
// about: paths
// reads: every key
// Entities that a key path leads back to: there must be none. From each thing what is reached grows by an edge a round,
// and there are as many rounds as things that an edge of the key leads from, so that no cycle is too long to be found.
// parameter limit = 25: the most rows
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
