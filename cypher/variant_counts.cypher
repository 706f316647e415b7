// kind: read
// How many perturbed questions an operation made, and how many it refused and rejected, by reason.
// parameter run: a run's name (raw for the benchmark's own questions)
// column operation: the name of the operation
// column status: kept, refused or rejected
// column reason: why
// column count: how many
MATCH (:Question {run: $run})<-[:VARIANT_OF]-(variant:Variant)
RETURN variant.operation AS operation, variant.status AS status, variant.reason AS reason, count(*) AS count
ORDER BY operation, status, count DESC, reason
