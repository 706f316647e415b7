// kind: read
// The runs that have questions of the given samples, the raw ones left out.
// parameter samples: sample ids
// column sample: the sample's id
// column run: a run's name
UNWIND $samples AS sample
MATCH (question:Question {sample: sample})
WHERE question.run <> 'raw'
RETURN DISTINCT sample, question.run AS run
ORDER BY sample, run
