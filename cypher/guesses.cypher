// kind: read
// What models guessed at questions without their pictures.
// parameter run: the name of the run that asked, or null for all
// parameter hop: a hop, or null for all
// parameter sample: a sample's id, or null for all
// parameter samples: the ids of samples, or null for all
// column guess: the properties of the node
MATCH (guess:Guess)
WHERE ($run IS NULL OR guess.run = $run) AND ($hop IS NULL OR guess.hop = $hop)
  AND ($sample IS NULL OR guess.sample = $sample) AND ($samples IS NULL OR guess.sample IN $samples)
RETURN properties(guess) AS guess
