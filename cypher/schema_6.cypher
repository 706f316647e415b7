// kind: schema
// Version 6 of the schema: parts of the work that several clients share.
CREATE CONSTRAINT part_id IF NOT EXISTS FOR (part:Part) REQUIRE part.id IS UNIQUE;
CREATE INDEX part_work IF NOT EXISTS FOR (part:Part) ON (part.work);
