// kind: read
// The number of each reviewer's last decision, on whatever question: the last part of its id.
// parameter reviewers: names of reviewers
// column reviewer: a name
// column number: the largest number
// reads: every decision, as a reviewer may decide on any question
MATCH (review:Review) WHERE review.reviewer IN $reviewers
RETURN review.reviewer AS reviewer, max(toInteger(last(split(review.id, '|')))) AS number
