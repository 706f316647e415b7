// kind: write
// Takes the raw questions of samples out of the graph.
// parameter samples: sample ids
UNWIND $samples AS sample
MATCH (question:Question {sample: sample})
WHERE question.run = 'raw'
DETACH DELETE question
