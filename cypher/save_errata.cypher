// kind: write
// Saves errata; one that is there is replaced.
// parameter rows: id, properties
UNWIND $rows AS row
MERGE (erratum:Erratum {id: row.id})
SET erratum += row.properties
