// kind: query
// about: the benchmark
// reads: every sample
// Images used by several samples, those shared across benchmarks first.
// parameter limit = 25: maximum number of rows
// column image: the image's number in its collection
// column benchmarks: how many benchmarks ask about it
// column samples: how many samples
// column first: the first of them by id
MATCH (sample:Sample)
WHERE sample.image_id <> ''
WITH sample.image_id AS image, count(DISTINCT sample.benchmark) AS benchmarks, count(*) AS samples, min(sample.id) AS first
WHERE samples > 1
RETURN image, benchmarks, samples, first
ORDER BY benchmarks DESC, samples DESC, image
LIMIT $limit
