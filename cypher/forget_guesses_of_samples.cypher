// kind: write
// Takes all guesses at the questions of samples out of the graph, of whatever run.
// parameter samples: sample ids
UNWIND $samples AS sample
MATCH (guess:Guess {sample: sample})
DETACH DELETE guess
