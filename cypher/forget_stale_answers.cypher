// kind: write
// Takes the answers to perturbed questions out of the graph where these have another text or picture now, or do not count.
// parameter rows: id (variant id), object (question id), operation, run (the number of the asking), text, image, status
UNWIND $rows AS row
MATCH (:Question {id: row.object})<-[answered:ANSWERED]-(:Model)
WHERE answered.variant = row.operation AND answered.run = row.run
OPTIONAL MATCH (variant:Variant {id: row.id})
WITH row, answered, variant
WHERE variant IS NULL OR row.status <> 'kept' OR variant.text <> row.text OR variant.image <> row.image
DELETE answered
