// kind: write
// Takes the raw questions of samples out of the graph.
// parameter samples: sample ids
UNWIND $samples AS sample
MATCH (question:Question {id: sample + '@raw/0'})
DETACH DELETE question
