// kind: schema
// Version 9 of the schema: pictures of Wikipedia pages, items of Wikidata and their statements.
CREATE CONSTRAINT item_id IF NOT EXISTS FOR (item:Item) REQUIRE item.id IS UNIQUE;
CREATE CONSTRAINT literal_id IF NOT EXISTS FOR (literal:Literal) REQUIRE literal.id IS UNIQUE;
CREATE CONSTRAINT picture_id IF NOT EXISTS FOR (picture:Picture) REQUIRE picture.id IS UNIQUE;
CREATE CONSTRAINT statement_id IF NOT EXISTS FOR ()-[statement:STATEMENT]-() REQUIRE statement.id IS UNIQUE;
CREATE INDEX item_label IF NOT EXISTS FOR (item:Item) ON (item.label);
CREATE INDEX statement_property IF NOT EXISTS FOR ()-[statement:STATEMENT]-() ON (statement.property_id);
