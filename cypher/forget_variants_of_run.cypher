// kind: write
// Takes what one operation made of the questions of a run out of the graph.
// parameter run: a run's name (raw for the benchmark's own questions)
// parameter operation: the name of an operation
MATCH (:Question {run: $run})<-[:VARIANT_OF]-(variant:Variant {operation: $operation})
DETACH DELETE variant
