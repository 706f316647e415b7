// kind: write
// Links perturbed questions to the question that they were made from.
// parameter rows: subject (variant id), object (question id)
UNWIND $rows AS row
MATCH (variant:Variant {id: row.subject})
MATCH (question:Question {id: row.object})
MERGE (variant)-[:VARIANT_OF]->(question)
