// kind: read
// A few samples that have a graph, and how many of them have their raw question, which is saved together with it.
// column samples: how many samples
// column questions: how many raw questions
MATCH (sample:Sample {status: 'extracted'})
WITH sample LIMIT 20
OPTIONAL MATCH (question:Question {id: sample.id + '@raw/0'})
RETURN count(sample) AS samples, count(question) AS questions
