// kind: read
// What models guessed at the questions of samples without their pictures.
// parameter samples: sample ids
// parameter run: the name of the run that asked, or null for all
// parameter hop: a hop, or null for all
// column guess: the properties of the node
UNWIND $samples AS sample
MATCH (guess:Guess {sample: sample})
WHERE ($run IS NULL OR guess.run = $run) AND ($hop IS NULL OR guess.hop = $hop)
RETURN properties(guess) AS guess
