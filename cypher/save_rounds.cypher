// kind: write
// Saves rounds of runs.
// parameter rows: id, properties
UNWIND $rows AS row
MERGE (round:Round {id: row.id})
SET round += row.properties
