// kind: schema
// Version 11 of the schema: identities that a model recognised, and drafts of questions with their answer sets.
CREATE CONSTRAINT identity_id IF NOT EXISTS FOR (identity:Identity) REQUIRE identity.id IS UNIQUE;
CREATE CONSTRAINT draft_id IF NOT EXISTS FOR (draft:Draft) REQUIRE draft.id IS UNIQUE;
CREATE INDEX identity_sample IF NOT EXISTS FOR (identity:Identity) ON (identity.sample);
CREATE INDEX draft_sample IF NOT EXISTS FOR (draft:Draft) ON (draft.sample);
CREATE INDEX draft_question IF NOT EXISTS FOR (draft:Draft) ON (draft.question);
