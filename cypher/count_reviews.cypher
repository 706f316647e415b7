// kind: read
// Decisions of reviewers by run, with the number of questions and reviewers.
// column run: the name of the questions' run
// column decisions: how many decisions
// column questions: of how many questions
// column reviewers: by how many people
MATCH (review:Review)-[:REVIEWS]->(question:Question)
RETURN question.run AS run, count(*) AS decisions, count(DISTINCT question.id) AS questions,
  count(DISTINCT review.reviewer) AS reviewers
