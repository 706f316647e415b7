// kind: read
// The questions that versions of releases hold back.
// column question: the question's id
// column release: the version's id
MATCH (release:Release)-[holds:HOLDS]->(question:Question)
WHERE holds.held_back
RETURN question.id AS question, max(release.id) AS release
