// kind: read
// What models guessed at questions without their pictures.
// parameter run: the name of the run that asked, or null for all
// parameter hop: a hop, or null for all
// column guess: the properties of the node
MATCH (guess:Guess)
WHERE ($run IS NULL OR guess.run = $run) AND ($hop IS NULL OR guess.hop = $hop)
RETURN properties(guess) AS guess
