// kind: read
// The questions of a run that strong models answer alike and against the key, as rounds found.
// parameter run: a run's name
// column question: the question's id
// column edge: the properties of the edge
MATCH (:Round)-[edge:DISPUTES]->(question:Question)
WHERE question.run = $run
RETURN question.id AS question, properties(edge) AS edge
