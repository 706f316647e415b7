// kind: write
// Saves terms: the folded names that entities of many samples share.
// parameter rows: id (the name), properties (none)
UNWIND $rows AS row
MERGE (term:Term {name: row.id})
ON CREATE SET term += row.properties
