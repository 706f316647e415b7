// kind: write
// Links samples to the picture that they were made of, with the statements that their questions follow from.
// parameter rows: subject (sample id), object (picture id), properties
UNWIND $rows AS row
MATCH (sample:Sample {id: row.subject})
MATCH (picture:Picture {id: row.object})
MERGE (sample)-[origin:FROM]->(picture)
SET origin += row.properties
