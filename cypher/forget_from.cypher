// kind: write
// Takes the links of samples to the pictures they were made of out of the graph.
// parameter samples: sample ids
UNWIND $samples AS sample
MATCH (:Sample {id: sample})-[origin:FROM]->(:Picture)
DELETE origin
