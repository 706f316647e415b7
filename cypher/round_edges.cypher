// kind: read
// What rounds made, and what they found disputed.
// parameter ids: ids of rounds
// column round: the round's id
// column type: GREW or DISPUTES
// column question: the question's id
// column edge: the properties of the edge
UNWIND $ids AS id
MATCH (round:Round {id: id})-[edge:GREW|DISPUTES]->(question:Question)
RETURN round.id AS round, type(edge) AS type, question.id AS question, properties(edge) AS edge
