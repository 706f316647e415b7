// kind: schema
// Version 1 of the schema: what makes an id unique, and what is looked up often. One command ends in a semicolon.
CREATE CONSTRAINT schema_id IF NOT EXISTS FOR (schema:Schema) REQUIRE schema.id IS UNIQUE;
CREATE CONSTRAINT sample_id IF NOT EXISTS FOR (sample:Sample) REQUIRE sample.id IS UNIQUE;
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (entity:Entity) REQUIRE entity.id IS UNIQUE;
CREATE CONSTRAINT term_name IF NOT EXISTS FOR (term:Term) REQUIRE term.name IS UNIQUE;
CREATE CONSTRAINT question_id IF NOT EXISTS FOR (question:Question) REQUIRE question.id IS UNIQUE;
CREATE CONSTRAINT run_name IF NOT EXISTS FOR (run:Run) REQUIRE run.name IS UNIQUE;
CREATE CONSTRAINT visual_id IF NOT EXISTS FOR ()-[visual:VISUAL]-() REQUIRE visual.id IS UNIQUE;
CREATE CONSTRAINT textual_id IF NOT EXISTS FOR ()-[textual:TEXTUAL]-() REQUIRE textual.id IS UNIQUE;
CREATE CONSTRAINT key_id IF NOT EXISTS FOR ()-[key:KEY]-() REQUIRE key.id IS UNIQUE;
CREATE INDEX entity_sample IF NOT EXISTS FOR (entity:Entity) ON (entity.sample);
CREATE INDEX entity_name IF NOT EXISTS FOR (entity:Entity) ON (entity.name);
CREATE INDEX question_sample IF NOT EXISTS FOR (question:Question) ON (question.sample);
CREATE INDEX question_run IF NOT EXISTS FOR (question:Question) ON (question.run);
CREATE INDEX visual_relation IF NOT EXISTS FOR ()-[visual:VISUAL]-() ON (visual.relation);
CREATE INDEX textual_relation IF NOT EXISTS FOR ()-[textual:TEXTUAL]-() ON (textual.relation);
CREATE INDEX key_question IF NOT EXISTS FOR ()-[key:KEY]-() ON (key.question);
