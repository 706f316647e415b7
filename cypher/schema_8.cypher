// kind: schema
// Version 8 of the schema: questions whose picture or words were perturbed.
CREATE CONSTRAINT variant_id IF NOT EXISTS FOR (variant:Variant) REQUIRE variant.id IS UNIQUE;
CREATE INDEX variant_operation IF NOT EXISTS FOR (variant:Variant) ON (variant.operation);
