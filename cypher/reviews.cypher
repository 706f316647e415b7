// kind: read
// Decisions of reviewers, of all or of some questions' run.
// parameter run: a run's name (raw for the benchmark's own questions), or null for all
// parameter reviewer: a reviewer's name, or null for all
// column review: the properties of the node
MATCH (review:Review)-[:REVIEWS]->(question:Question)
WHERE ($run IS NULL OR question.run = $run) AND ($reviewer IS NULL OR review.reviewer = $reviewer)
RETURN properties(review) AS review
