// kind: write
// Saves what models guessed at questions without their pictures.
// parameter rows: id, properties
UNWIND $rows AS row
MERGE (guess:Guess {id: row.id})
SET guess += row.properties
