// kind: write
// Takes the perturbed forms of questions out of the graph.
// parameter rows: id (question id)
UNWIND $rows AS row
MATCH (:Question {id: row.id})<-[:VARIANT_OF]-(variant:Variant)
DETACH DELETE variant
