// kind: schema
// Version 10 of the schema: decisions of people on questions.
CREATE CONSTRAINT review_id IF NOT EXISTS FOR (review:Review) REQUIRE review.id IS UNIQUE;
CREATE INDEX review_reviewer IF NOT EXISTS FOR (review:Review) ON (review.reviewer);
