// kind: write
// Links pictures to the item that they are about.
// parameter rows: subject (picture id), object (item id)
UNWIND $rows AS row
MATCH (picture:Picture {id: row.subject})
MATCH (item:Item {id: row.object})
MERGE (picture)-[:ABOUT]->(item)
