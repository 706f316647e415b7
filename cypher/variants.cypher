// kind: read
// Questions of a run whose picture or words were perturbed, those refused and rejected among them.
// parameter run: a run's name (raw for the benchmark's own questions)
// parameter operation: the name of an operation, or null for all
// column question: the question's id
// column variant: the properties of the node
MATCH (question:Question {run: $run})<-[:VARIANT_OF]-(variant:Variant)
WHERE $operation IS NULL OR variant.operation = $operation
RETURN question.id AS question, properties(variant) AS variant
