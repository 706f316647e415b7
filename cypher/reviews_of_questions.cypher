// kind: read
// Decisions of reviewers on the given questions.
// parameter ids: question ids
// column review: the properties of the node
UNWIND $ids AS id
MATCH (:Question {id: id})<-[:REVIEWS]-(review:Review)
RETURN properties(review) AS review
