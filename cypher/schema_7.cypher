// kind: schema
// Version 7 of the schema: what was guessed at questions without their pictures.
CREATE CONSTRAINT guess_id IF NOT EXISTS FOR (guess:Guess) REQUIRE guess.id IS UNIQUE;
CREATE INDEX guess_run IF NOT EXISTS FOR (guess:Guess) ON (guess.run);
CREATE INDEX guess_sample IF NOT EXISTS FOR (guess:Guess) ON (guess.sample);
