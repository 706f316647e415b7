// kind: read
// Samples, all or those of a benchmark, split or status.
// parameter benchmark: its name, or null for all
// parameter split: its name, or null for all
// parameter status: loaded, extracted or dropped, or null for all
// column sample: the properties of the node
MATCH (sample:Sample)
WHERE ($benchmark IS NULL OR sample.benchmark = $benchmark)
  AND ($split IS NULL OR sample.split = $split)
  AND ($status IS NULL OR sample.status = $status)
RETURN properties(sample) AS sample
