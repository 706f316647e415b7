// kind: write
// Saves pictures of Wikipedia pages; what is known of one that is there already is replaced.
// parameter rows: id, properties
UNWIND $rows AS row
MERGE (picture:Picture {id: row.id})
SET picture += row.properties
