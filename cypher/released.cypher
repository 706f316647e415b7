// kind: read
// The questions of a version of a release.
// parameter id: the version's id
// column question: the question's id
// column holds: the properties of the edge
MATCH (:Release {id: $id})-[holds:HOLDS]->(question:Question)
RETURN question.id AS question, properties(holds) AS holds
