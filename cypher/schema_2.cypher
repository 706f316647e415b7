// kind: schema
// Version 2 of the schema: the candidates that were considered for each question.
CREATE CONSTRAINT candidate_id IF NOT EXISTS FOR (candidate:Candidate) REQUIRE candidate.id IS UNIQUE;
CREATE INDEX candidate_run IF NOT EXISTS FOR (candidate:Candidate) ON (candidate.run);
